"""Labelling pictures in bulk: `fanlens label`.

`inputs` finds the pictures, `engine` (or `ray_engine`) reads them, `store` keeps what was read in
`results.json`, `dataset` and `export` turn it into one of `formats`, `review` lists what a person should
look at first, `corrections` takes their word back into the results. `check` holds somebody's
labels (`readers`) against the model. `run` is the whole way; `app.label_command` is its skin.
"""
