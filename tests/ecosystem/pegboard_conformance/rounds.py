"""Tools that ask again, keep something meanwhile, or ask several things."""

from typing import Any

import mcp_types as t
from pegboard import tool
from pegboard_mcp import InputRequired

from pegboard_conformance.asking import CAPITAL, CONFIRM, NAME, answer_to, client, elicit, sample


@tool
async def test_input_required_result_elicitation() -> str:
    """Ask for a name."""
    return f"Hello, {answer_to(user_name=NAME).content['name']}!"


@tool
async def test_input_required_result_sampling() -> str:
    """Ask the client's model for a capital."""
    return str(answer_to(capital_question=sample(CAPITAL)).content.text)


@tool
async def test_input_required_result_list_roots() -> str:
    """Ask for the client's roots."""
    roots = answer_to(client_roots=t.ListRootsRequest()).roots
    return ", ".join(str(each.uri) for each in roots)


@tool
async def test_input_required_result_request_state() -> str:
    """Ask, and see that what was kept is back."""
    return confirmed("state-ok")


@tool
async def test_input_required_result_tampered_state() -> str:
    """The same, for a client that changes what was kept."""
    return confirmed("accepted")


def confirmed(words: str) -> str:
    """The words, once the client has confirmed with the state that it was given."""
    if client().state != {"asked": True} or "confirm" not in client().responses:
        raise InputRequired({"confirm": CONFIRM}, state={"asked": True})
    return words


@tool
async def test_input_required_result_multiple_inputs() -> str:
    """Ask three things at once."""
    asked = {
        "user_name": NAME,
        "greeting": sample("Generate a greeting", max_tokens=50),
        "client_roots": t.ListRootsRequest(),
    }
    if asked.keys() - client().responses.keys():
        raise InputRequired(asked, state={"asked": sorted(asked)})
    return "All three were answered."


@tool
async def test_input_required_result_multi_round() -> str:
    """Ask two things, one after the other."""
    match client().state, client().responses:
        case {"name": name}, {"step2": color}:
            return f"{name} likes {color.content['color']}."
        case {"round": 1}, {"step1": name}:
            step = elicit("Step 2: What is your favorite color?", color={"type": "string"})
            raise InputRequired({"step2": step}, state={"round": 2, "name": name.content["name"]})
        case _:
            step = elicit("Step 1: What is your name?", name={"type": "string"})
            raise InputRequired({"step1": step}, state={"round": 1})


@tool
async def test_input_required_result_capabilities() -> str:
    """Ask only what the client can answer."""
    able = client().capabilities
    asked: dict[str, Any] = {}
    if able.elicitation is not None:
        asked["user_name"] = NAME
    if able.sampling is not None:
        asked["capital_question"] = sample(CAPITAL)
    if asked.keys() - client().responses.keys():
        raise InputRequired(asked)
    return f"{len(asked)} were answered."
