"""The manual, built by Sphinx: `make docs`."""

import sys
from pathlib import Path

import aleplot_py

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "aleplot-py"
author = copyright = "The aleplot-py developers"  # noqa: A001 (Sphinx's name)
version = release = aleplot_py.__version__

extensions = [
    "mathml",
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
root_doc = "index"
exclude_patterns = ["paper", "extensions", "README.md"]

# What is in single backticks links where it names something of the package.
default_role = "autolink"
add_module_names = False
numpydoc_show_class_members = False
# Docstrings tell the types; without hints a function that is overloaded has one signature.
autodoc_typehints = "none"
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

# Notebooks and the cells of pages run at every build; one that raises ends it.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

html_theme = "pydata_sphinx_theme"
html_extra_path = ["../paper_figures/lab.html"]
html_static_path = ["static"]
html_css_files = ["manual.css"]
html_title = f"aleplot-py {version}"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_sidebars = {"**": ["globaltoc.html"]}
html_theme_options = {
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_center": [],
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
