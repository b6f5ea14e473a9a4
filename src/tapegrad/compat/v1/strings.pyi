# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.program.strings import as_string as as_string
from tapegrad.signatures.program.strings import format as format
from tapegrad.signatures.strings.hashes import to_hash_bucket_v1 as _to_hash_bucket_v1
from tapegrad.signatures.strings.hashes import to_hash_bucket_fast as to_hash_bucket_fast
from tapegrad.signatures.strings.hashes import to_hash_bucket_strong as to_hash_bucket_strong
from tapegrad.signatures.strings.patterns import regex_full_match as regex_full_match
from tapegrad.signatures.strings.patterns import regex_replace as regex_replace
from tapegrad.signatures.strings.scripts import unicode_script as unicode_script
from tapegrad.signatures.strings.text import join as join
from tapegrad.signatures.strings.text import length_v1 as _length_v1
from tapegrad.signatures.strings.text import lower as lower
from tapegrad.signatures.strings.text import reduce_join_v1 as _reduce_join_v1
from tapegrad.signatures.strings.text import strip as strip
from tapegrad.signatures.strings.text import substr_v1 as _substr_v1
from tapegrad.signatures.strings.text import to_number_v1 as _to_number_v1
from tapegrad.signatures.strings.text import unsorted_segment_join as unsorted_segment_join
from tapegrad.signatures.strings.text import upper as upper
from tapegrad.signatures.strings.unicode import unicode_transcode as unicode_transcode
from tapegrad.ragged.strings import bytes_split as bytes_split
from tapegrad.ragged.strings import ngrams as ngrams
from tapegrad.ragged.strings import split_v1 as _split_v1
from tapegrad.ragged.strings import unicode_decode as unicode_decode
from tapegrad.ragged.strings import unicode_decode_with_offsets as unicode_decode_with_offsets
from tapegrad.ragged.strings import unicode_encode as unicode_encode
from tapegrad.ragged.strings import unicode_split as unicode_split
from tapegrad.ragged.strings import unicode_split_with_offsets as unicode_split_with_offsets

to_hash_bucket = _to_hash_bucket_v1
length = _length_v1
reduce_join = _reduce_join_v1
substr = _substr_v1
to_number = _to_number_v1
split = _split_v1
