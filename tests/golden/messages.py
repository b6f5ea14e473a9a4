"""What messages say of their fields, as far as programs that handle any message read it."""

MESSAGES = "Example SequenceExample Features Feature FeatureList FeatureLists BytesList Int64List"


def described(descriptor):
    """What programs that handle any message read of a class of messages, and of its fields."""
    return {
        "full_name": descriptor.full_name,
        "map_entry": descriptor.GetOptions().map_entry,
        "oneofs": [[oneof.full_name, len(oneof.fields)] for oneof in descriptor.oneofs],
        "fields": [
            [
                field.name, field.full_name, field.json_name, field.number, field.index, field.type,
                field.cpp_type, field.is_repeated, field.is_packed, field.has_presence,
                field.default_value,
                field.message_type and field.message_type.full_name,
                field.containing_oneof and field.containing_oneof.name,
                field.containing_type.full_name,
            ]
            for field in descriptor.fields
        ],
    }  # fmt: skip


def all_described(train):
    """The same for all MESSAGES, and for the entries of their maps."""
    found = {}
    for name in MESSAGES.split():
        descriptor = getattr(train, name).DESCRIPTOR
        found[name] = described(descriptor)
        for field in descriptor.fields:
            inside = field.message_type
            if inside is not None and inside.GetOptions().map_entry:
                found[inside.name] = described(inside)
    return found
