"""Tools that ask once, in either era."""

from pegboard import RunContext, tool

from pegboard_conformance.asking import CAPITAL, CONFIRM, answer_to, elicit, sample, shown


@tool
async def test_sampling(prompt: str) -> str:
    """Ask the client's model.

    Args:
        prompt: what it is asked.
    """
    return f"LLM response: {answer_to(model=sample(prompt)).content.text}"


@tool
async def test_elicitation(message: str) -> str:
    """Ask the user.

    Args:
        message: what the user reads.
    """
    form = elicit(
        message,
        username={"type": "string", "description": "User's response"},
        email={"type": "string", "description": "User's email address"},
    )
    return f"User response: {shown(answer_to(user=form))}"


@tool
async def test_elicitation_sep1034_defaults() -> str:
    """Ask for a form with defaults."""
    status = {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}
    form = elicit(
        "Your data",
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status=status,
        verified={"type": "boolean", "default": True},
    )
    return f"Elicitation completed: {shown(answer_to(form=form))}"


@tool
async def test_elicitation_sep1330_enums() -> str:
    """Ask for a form with every kind of choice."""
    plain = {"type": "string", "enum": ["option1", "option2", "option3"]}
    titled = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
    names = {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]}
    form = elicit(
        "Your choices",
        untitledSingle=plain,
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={"type": "string", **names},
        untitledMulti={"type": "array", "items": plain},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )
    return f"Elicitation completed: {shown(answer_to(form=form))}"


@tool
async def test_missing_capability() -> str:
    """Ask the client's model, which the client may not have."""
    return str(answer_to(model=sample(CAPITAL)).content.text)


@tool
async def test_streaming_elicitation(context: RunContext) -> str:
    """Report progress, then ask the user."""
    context.report(1, 2)
    return shown(answer_to(confirm=CONFIRM))
