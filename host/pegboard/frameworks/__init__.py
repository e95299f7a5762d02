"""Boards for agents of other frameworks, and tools of other frameworks for boards.

One module a framework, each imported by its own name: `pegboard.frameworks.pydantic_ai`,
`.langchain` and `.openai_agents`. The extra of the same name installs what it needs.
"""
