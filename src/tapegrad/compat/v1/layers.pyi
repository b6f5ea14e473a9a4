# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.v1.layers import Dense as Dense
from tapegrad.v1.layers import dense as dense
from tapegrad.v1.layers import Dropout as Dropout
from tapegrad.v1.layers import dropout as dropout
from tapegrad.v1.layers import Flatten as Flatten
from tapegrad.v1.layers import flatten as flatten
from tapegrad.v1.layers import InputSpec as InputSpec
from tapegrad.v1.layers import Layer as Layer
from tapegrad.v1.window_layers import average_pooling1d as average_pooling1d
from tapegrad.v1.window_layers import average_pooling2d as average_pooling2d
from tapegrad.v1.window_layers import average_pooling3d as average_pooling3d
from tapegrad.v1.window_layers import AveragePooling1D as AveragePooling1D
from tapegrad.v1.window_layers import AveragePooling2D as AveragePooling2D
from tapegrad.v1.window_layers import AveragePooling3D as AveragePooling3D
from tapegrad.v1.window_layers import Conv1D as Conv1D
from tapegrad.v1.window_layers import conv1d as conv1d
from tapegrad.v1.window_layers import Conv2D as Conv2D
from tapegrad.v1.window_layers import conv2d as conv2d
from tapegrad.v1.window_layers import conv2d_transpose as conv2d_transpose
from tapegrad.v1.window_layers import Conv2DTranspose as Conv2DTranspose
from tapegrad.v1.window_layers import Conv3D as Conv3D
from tapegrad.v1.window_layers import conv3d as conv3d
from tapegrad.v1.window_layers import conv3d_transpose as conv3d_transpose
from tapegrad.v1.window_layers import Conv3DTranspose as Conv3DTranspose
from tapegrad.v1.window_layers import max_pooling1d as max_pooling1d
from tapegrad.v1.window_layers import max_pooling2d as max_pooling2d
from tapegrad.v1.window_layers import max_pooling3d as max_pooling3d
from tapegrad.v1.window_layers import MaxPooling1D as MaxPooling1D
from tapegrad.v1.window_layers import MaxPooling2D as MaxPooling2D
from tapegrad.v1.window_layers import MaxPooling3D as MaxPooling3D
from tapegrad.v1.window_layers import separable_conv1d as separable_conv1d
from tapegrad.v1.window_layers import separable_conv2d as separable_conv2d
from tapegrad.v1.window_layers import SeparableConv1D as SeparableConv1D
from tapegrad.v1.window_layers import SeparableConv2D as SeparableConv2D
