"""How Sphinx builds the documentation."""

from importlib.metadata import version as version_of

project = "pegboard"
author = "the pegboard authors"
copyright = "the pegboard authors"
version = release = version_of("pegboard")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "changelog.d"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False
napoleon_use_ivar = True

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = "pegboard"
html_copy_source = False
