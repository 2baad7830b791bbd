"""The figures of the literature on accumulated local effects, regenerated from data and models.

``models`` holds models fitted in R and exported with full precision, with R's predictions;
``reference`` holds the numbers R computed for each figure. ``r_models`` evaluates the exported
models in Python. The figures themselves are one script each, run by ``python -m reproductions``.

How to write a figure
---------------------
A figure is one module in the folder of its source (``molnar2``, ``molnar3``, ``lofo``,
``aleplot``, ``groemping``, ``gkolemis``); the runner finds it there. It never saves, shows, prints
or sets global state. Take ``molnar3/fig20_6.py`` as the pattern. A module has

docstring
    The caption in our own words, with the source's figure number. It is what the gallery prints
    in English.
``IDS``
    One or two ids ``source/figure``. Pictures that are the same in two editions share a script;
    files are named after the first id, which must be of the module's own folder.
``compute()``, or ``compute(model)`` where the figure explains a fitted model
    Returns the numbers: a dict of name to result (`aleplot_py.ale` and friends) or DataFrame, each
    of which becomes the file ``<figure>.<name>.csv``. ``model`` is ``"r"`` or ``"sklearn"``, handed
    to `black_boxes.black_box`.
``draw(numbers, figure, text)``
    Draws the numbers on an empty matplotlib figure of size ``SIZE`` (inches). ``text("key")`` is
    the message in the language asked for, from the figure's section in ``messages/*.json`` or
    from ``"common"``; ``text("key", value=0.5)`` fills ``{value:.1f}``. Tick labels get the
    language's digits from the runner.
``SIZE``, ``DATA``, ``MODEL``, ``SEED``, ``PLACE`` (optional)
    Width and height in inches; names of `sources.DATA`; name of `black_boxes.MODELS`; seed of
    the figure's random numbers, where it draws some; the number it is sorted by, if its id has
    none.
``REFERENCE`` (optional)
    Name of a number to the `reference.Reference` it must equal: grids bit for bit, values to 1e-9.
``CLAIMS`` (optional)
    What the source says about the figure: `figure.Claim` with a sentence, the evidence as a
    template, and a function of the numbers that returns ``decide(holds, partly=..., number=...)``.

Every figure needs a section in each of ``messages/en.json``, ``fa.json`` and ``tr.json``: ``title``
(of the gallery's card), ``alt`` (what one sees, for those who do not see it) and what ``draw``
asks for. Persian and Turkish also have ``caption`` and ``claim.<key>`` and ``evidence.<key>`` for
each claim, whose English is in the script. ``tests/reproductions`` fails if one is missing.
Every message is a template: a brace is written twice, captions and sentences do without.

What several figures share goes into a module beside them whose name begins with an underscore, or
into ``drawing``, ``kernel_density`` and the like; what the runner keeps of a figure covers what its
script imports. Run a new figure alone (``python -m reproductions molnar3/20.6``), look at its
pictures in the three languages, and commit what git sees of ``paper_figures`` with the script:
numbers, png, manifest and gallery. A later change that moves no number and no pixel leaves all of
these as they are.
"""
