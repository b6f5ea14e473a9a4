"""The page of a graph in a real browser: it folds, searches and selects, without errors of its script."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from sanitized import without_sanitizer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
HOME = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")

# What a reader does. The title of the page says what came of it.
ACTIONS = """<script>
addEventListener("error", (event) => { document.title = "ERROR " + event.message; });
const at = (selector) => document.querySelector(selector);
const shown = () => at("#drawing svg").querySelectorAll("[data-node], [data-group]").length;
const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const said = [at("#details h2").textContent];
at("#unfold").click();
said.push(shown());
click(at("#drawing .group"));
said.push(at("#crumbs").textContent);
at("#search").value = "relu";
at("#search").dispatchEvent(new Event("input"));
said.push(at("#results h2").textContent);
at("#results button").click();
said.push(at("#details h2").textContent, at("#drawing .selected title").textContent.split("\\n")[0]);
at("#folding").value = "order";
at("#folding").dispatchEvent(new Event("change"));
said.push(shown());
const before = at("#drawing svg").getAttribute("viewBox");
at("#in").click();
said.push(before !== at("#drawing svg").getAttribute("viewBox"));
at("#drawing").dispatchEvent(new WheelEvent("wheel", { deltaY: -100, cancelable: true }));
said.push(document.body.scrollWidth <= innerWidth);
if (!document.title.startsWith("ERROR")) document.title = said.join("|");
</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize("width", [412, 1280])
def test_the_page_in_a_browser(tmp_path: Path, width: int) -> None:
    class Dense(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = tf.Variable(tf.ones([2, 2]), name="weight")

        def __call__(self, x: Any) -> Any:
            return tf.nn.relu(x @ self.weight)

    first, second = Dense(), Dense()
    with tf.GradientTape(lines=True) as tape:
        loss = tf.reduce_sum(tf.round(first(tf.ones([1, 2]))) + second(tf.ones([1, 2])))
    page = tape.graph(loss, first.weight).html()
    file = tmp_path / "graph.html"
    file.write_text(page.replace("</body>", ACTIONS))
    assert CHROMIUM is not None
    finished = subprocess.run(
        [
            *(
                CHROMIUM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--enable-logging=stderr",
            ),
            *(f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},800"),
            *("--virtual-time-budget=4000", "--dump-dom", file.as_uri()),
        ],
        # Whatever the profile is, it makes some folders in the user's own.
        env=without_sanitizer(os.environ) | dict.fromkeys(HOME, str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "CONSOLE" not in finished.stderr
    title = re.search(r"<title>(.*?)</title>", finished.stdout)
    assert title is not None
    selected, *rest = title[1].split("|")
    assert selected == "Round"
    # Folded there are two groups and three ops. Lines of the program are searched too.
    assert rest == ["5", "all / dense", "4 found", "Relu", "Relu", "11", "true", "true"]
