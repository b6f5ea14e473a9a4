"""Types of the compiled module `tapegrad.core.requests`."""

from typing import Any

from tapegrad.core.tape import Recording

def watch(recording: Recording, nested: Any) -> bool: ...
def gradient(recording: Recording, target: Any, sources: Any, output_gradients: Any) -> Any: ...
