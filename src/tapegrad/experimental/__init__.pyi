# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.data.optional import Optional as Optional
from tapegrad.dtypes import float4_e2m1fn as float4_e2m1fn
from tapegrad.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from tapegrad.dtypes import float8_e4m3fn as float8_e4m3fn
from tapegrad.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from tapegrad.dtypes import float8_e5m2 as float8_e5m2
from tapegrad.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from tapegrad.dtypes import int2 as int2
from tapegrad.dtypes import int4 as int4
from tapegrad.dtypes import uint2 as uint2
from tapegrad.dtypes import uint4 as uint4
from tapegrad.extension.batching import ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
from tapegrad.extension.dispatch import dispatch_for_api as dispatch_for_api
from tapegrad.extension.dispatch import dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis
from tapegrad.extension.dispatch import dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis
from tapegrad.extension.dispatch import dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis
from tapegrad.extension.dispatch import unregister_dispatch_for as unregister_dispatch_for
from tapegrad.extension.extension_type import BatchableExtensionType as BatchableExtensionType
from tapegrad.extension.extension_type import ExtensionType as ExtensionType
from tapegrad.extension.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
from tapegrad.framework.execution import async_clear_error as async_clear_error
from tapegrad.framework.execution import async_scope as async_scope
from tapegrad.framework.execution import function_executor_type as function_executor_type
from tapegrad.ragged.row_partition import RowPartition as RowPartition
from tapegrad.ragged.shapes import DynamicRaggedShape as DynamicRaggedShape
from tapegrad.experimental import dlpack as dlpack
from tapegrad.experimental import dtensor as dtensor
from tapegrad.experimental import extension_type as extension_type
from tapegrad.experimental import numpy as numpy
