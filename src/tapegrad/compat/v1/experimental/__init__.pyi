# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.data.optional import Optional as Optional
from tapegrad.experimental import async_clear_error as _async_clear_error
from tapegrad.experimental import async_scope as _async_scope
from tapegrad.experimental import BatchableExtensionType as _BatchableExtensionType
from tapegrad.experimental import dispatch_for_api as _dispatch_for_api
from tapegrad.experimental import dispatch_for_binary_elementwise_apis as _dispatch_for_binary_elementwise_apis
from tapegrad.experimental import dispatch_for_binary_elementwise_assert_apis as _dispatch_for_binary_elementwise_assert_apis
from tapegrad.experimental import dispatch_for_unary_elementwise_apis as _dispatch_for_unary_elementwise_apis
from tapegrad.experimental import DynamicRaggedShape as _DynamicRaggedShape
from tapegrad.experimental import ExtensionType as _ExtensionType
from tapegrad.experimental import ExtensionTypeBatchEncoder as _ExtensionTypeBatchEncoder
from tapegrad.experimental import ExtensionTypeSpec as _ExtensionTypeSpec
from tapegrad.experimental import float4_e2m1fn as _float4_e2m1fn
from tapegrad.experimental import float8_e4m3b11fnuz as _float8_e4m3b11fnuz
from tapegrad.experimental import float8_e4m3fn as _float8_e4m3fn
from tapegrad.experimental import float8_e4m3fnuz as _float8_e4m3fnuz
from tapegrad.experimental import float8_e5m2 as _float8_e5m2
from tapegrad.experimental import float8_e5m2fnuz as _float8_e5m2fnuz
from tapegrad.experimental import function_executor_type as _function_executor_type
from tapegrad.experimental import int2 as _int2
from tapegrad.experimental import int4 as _int4
from tapegrad.experimental import RowPartition as _RowPartition
from tapegrad.experimental import uint2 as _uint2
from tapegrad.experimental import uint4 as _uint4
from tapegrad.experimental import unregister_dispatch_for as _unregister_dispatch_for
from tapegrad.compat.v1.experimental import extension_type as extension_type

async_clear_error = _async_clear_error
async_scope = _async_scope
BatchableExtensionType = _BatchableExtensionType
dispatch_for_api = _dispatch_for_api
dispatch_for_binary_elementwise_apis = _dispatch_for_binary_elementwise_apis
dispatch_for_binary_elementwise_assert_apis = _dispatch_for_binary_elementwise_assert_apis
dispatch_for_unary_elementwise_apis = _dispatch_for_unary_elementwise_apis
DynamicRaggedShape = _DynamicRaggedShape
ExtensionType = _ExtensionType
ExtensionTypeBatchEncoder = _ExtensionTypeBatchEncoder
ExtensionTypeSpec = _ExtensionTypeSpec
float4_e2m1fn = _float4_e2m1fn
float8_e4m3b11fnuz = _float8_e4m3b11fnuz
float8_e4m3fn = _float8_e4m3fn
float8_e4m3fnuz = _float8_e4m3fnuz
float8_e5m2 = _float8_e5m2
float8_e5m2fnuz = _float8_e5m2fnuz
function_executor_type = _function_executor_type
int2 = _int2
int4 = _int4
RowPartition = _RowPartition
uint2 = _uint2
uint4 = _uint4
unregister_dispatch_for = _unregister_dispatch_for
