"""What a tool takes, as a record of its arguments."""

from pegboard.sdk.documents import Document
from pegboard.sdk.expressions import ANY, Definition, Field, Record
from pegboard.sdk.merging import LONGEST_KEY, mapping, merged, parts_of
from pegboard.sdk.reading import Reader
from pegboard.tools import Tool
from pegboard.tools.roots import declared_keys


def arguments_of(tool: Tool, definitions: list[Definition]) -> Record:
    """The arguments of a tool; closed where undeclared ones never reach it.

    Args:
        tool: the tool.
        definitions: gets the types that need a name.
    """
    schema = tool.parameters
    document = Document.of(schema, "Arguments")
    parts = parts_of(document, document.root())
    if parts is None:
        return Record((), ANY)
    taken = merged(document, parts, is_whole=True)
    record = Reader(document, definitions, is_argument=True).fields(taken)
    declared = None if tool.extra == "keep" else declared_keys(schema)
    if (
        taken.others is not None
        or declared is None
        or max(map(len, declared), default=0) > LONGEST_KEY
    ):
        return record
    known = {key for each in parts for key in mapping(each.schema, "properties")}
    known.update(each.key for each in record.fields)
    further = (Field(key, ANY, is_required=False) for key in sorted(declared - known))
    return Record((*record.fields, *further), is_closed=True)
