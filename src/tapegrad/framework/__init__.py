"""The furniture of tapegrad: variables, shapes, conversion, printing, modules, settings.

Tensors and variables:

``variable``        `tf.Variable`
``variable_spec``   `VariableSpec`: shape and dtype of a variable
``creators``        `tf.variable_creator_scope`
``handle``          the handle of a variable
``synchronization`` how copies of a variable are kept alike
``tensor``          what users see of a tensor besides its ops
``absent``          attributes that TensorFlow's objects have and ours do not
``indexed_slices``  `IndexedSlices`
``bases``           base classes of variables, modules and parts of models
``module``          `tf.Module`

Values, shapes and types:

``convert``    conversion of values to tensors, and the choice of dtypes
``nested``     nested lists as arrays
``casting``    arrays from one dtype to another
``dlpack``     tensors as DLPack capsules and back
``shape``      `TensorShape`
``spec``       `TensorSpec` and its base `TypeSpec`
``bounded_spec``    `BoundedTensorSpec`: a spec with limits
``spec_names`` the registry of specs by name
``nest``       nests: flatten, map, pack
``printing``   how tensors print
``texts``      `tf.compat`: text, paths and numbers
``types``      types for annotations
``unions``     types of `tf.types.experimental`

State around the calls of a program:

``overrides``      loads what public functions do with composites
``names``          name scopes, and the graph that code enters
``calls``          the call of a function that a thread is in, and what it draws
``random_state``   the global seed, and how far each stream has been drawn
``inherited``      state of a thread that threads started by it take over
``config``         `tf.config`: the one device, and settings
``policies``       settings of devices and compilers that are not here
``device_spec``    `tf.DeviceSpec`
``placement``      says of each op where it runs
``execution``      what lets TensorFlow run ops later
``dtensor``        `tf.experimental.dtensor`, for one process
``check_numerics`` checks of results for NaN and infinity
``nonfinite``      NaN and infinity in words
``habits``         what to write for names of PyTorch, JAX and NumPy
``tensor_html``    a tensor or variable in a notebook
``module_text``    a module as text and as HTML
``search_box``     a box that searches what a notebook shows
``printed``        a base class of objects that print what they are
``counts``         counts with their nouns, sizes of memory, times, and tables
``work``           how many arithmetic operations an op does
``missing_gradients`` what errors add that follow from a gradient that is None
``logging``        warnings, in TensorFlow's format
``file_errors``    errors of the operating system about files, as errors of `tf.errors`
``docstrings``     sections of docstrings, and docstrings made of those of other functions
``missing``        messages for names that TensorFlow has and tapegrad lacks
``wrapped``        the signature of an object that wraps a function
"""
