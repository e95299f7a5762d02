"""Makes pegboard plugins of llm plugins, each owned by its own distribution."""

from pegboard import ForeignEntry

__all__ = ["adapt"]


def adapt(entry: ForeignEntry) -> object | None:
    """The pegboard plugin that an llm plugin is; None where it has no tools.

    One that nowhere names llm's hook for tools, such as a plugin of models, isn't even imported.
    """
    if not entry.mentions("register_tools"):
        return None
    from pegboard_llm.asking import diverted, have_them_ask  # late: only one with tools needs them
    from pegboard_llm.plugin import plugin_of  # late: it imports llm

    with diverted(entry.modules):
        foreign = entry.load()
        have_them_ask(entry.modules().values())
        return plugin_of(foreign, entry.modules)
