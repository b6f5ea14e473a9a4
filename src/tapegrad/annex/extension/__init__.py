"""Types that programs define: composites with fields, and what the functions of tf do with them.

`fields` checks the annotations and the values of fields; `extension_type` has the base classes and their
specs; `batching` says how such values are batched; `dispatch` lets the functions of tf take them.
`framework.spec` and `internal.composite` are next door: the protocol that all composites follow.
"""
