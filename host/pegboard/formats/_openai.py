"""What both of OpenAI's interfaces read of a schema."""

from pegboard.formats._schema import words
from pegboard.formats._shape import Shape, Strictness

LOOSE = Shape(
    not_at_root=words("allOf anyOf const enum not oneOf"),
    says_everything=True,
)
STRICT = Shape(
    keywords=words(
        "$ref additionalProperties anyOf const description enum exclusiveMaximum exclusiveMinimum "
        "format items maxItems maximum minItems minimum multipleOf pattern properties required "
        "title type"
    ),
    formats=words("date date-time duration email hostname ipv4 ipv6 time uuid"),
    strictness=Strictness(
        requires_all=True,
        allows_recursion=True,
        most_levels=10,
        most_properties=5_000,
        most_values=1_000,
        most_characters=120_000,
    ),
    relaxed=LOOSE,
)
