# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Sphinx's settings for krdma's documentation; `build` runs Sphinx."""

import os
from docutils import nodes

project = 'krdma'
copyright = '2026, the krdma authors'
version = release = os.environ['KRDMA_VERSION']
extensions = ['myst_parser']
html_theme = 'alabaster'
html_theme_options = {'page_width': '1100px', 'nosidebar': False}
html_show_sourcelink = False
html_copy_source = False
# Comments of members have the same names in several structures.
suppress_warnings = ['myst.xref_missing', 'duplicate_declaration.c']
nitpicky = False
# C names of the kernel that Sphinx's parser of declarations does not know.
c_id_attributes = ['__must_check', '__user', '__iomem', '__rcu', '__malloc', '__printf']
c_paren_attributes = ['__printf']


def name_html(app, doctree, docname):
    """Lets links to other pages' sources lead to the pages."""
    for link in doctree.traverse(nodes.reference):
        target, anchor = (link.get('refuri', '').split('#') + [''])[:2]
        stem, suffix = os.path.splitext(target)
        if suffix not in ('.rst', '.md'):
            continue
        # Pages of the top folder are in the same folder here as those of Documentation/.
        page = os.path.normpath(os.path.join(os.path.dirname(docname), stem)).removeprefix('../')
        if page in app.env.found_docs:
            link['refuri'] = app.builder.get_relative_uri(docname, page) + ('#' + anchor if anchor else '')


def setup(app):
    app.connect('doctree-resolved', name_html)
