"""Ops that no row of the sample table has, and where they are tested instead."""

# Ops on text: test_strings.py and test_ragged_ops.py compare them with TensorFlow's.
TEXT = """
    Fingerprint ReduceJoin RegexFullMatch RegexReplace StringJoin StringLength StringLower StringStrip
    StringToHashBucket StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper Substr
    UnicodeScript UnicodeTranscode UnsortedSegmentJoin _CrossNumbers _CrossTexts _DecodeCharacters _EncodeRows
    _Fingerprint64 _NGrams _SplitAtCharacters _SplitBytes _SplitCharacters _SplitPieces
""".split()

# Ops between ranks: test_ranks.py.
RANKS = (
    "_AllGather _AllReduceExtreme _AllReduceSum _AllReduceSumMany _Broadcast _ReduceScatter".split()
)
