"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.ops.image import adjust_brightness as adjust_brightness
from tapegrad.ops.image import adjust_contrast as adjust_contrast
from tapegrad.ops.image import adjust_gamma as adjust_gamma
from tapegrad.ops.image import central_crop as central_crop
from tapegrad.ops.image import convert_image_dtype as convert_image_dtype
from tapegrad.ops.image import crop_to_bounding_box as crop_to_bounding_box
from tapegrad.ops.image import flip_left_right as flip_left_right
from tapegrad.ops.image import flip_up_down as flip_up_down
from tapegrad.ops.image import grayscale_to_rgb as grayscale_to_rgb
from tapegrad.ops.image import pad_to_bounding_box as pad_to_bounding_box
from tapegrad.ops.image import per_image_standardization as per_image_standardization
from tapegrad.ops.image import rgb_to_grayscale as rgb_to_grayscale
from tapegrad.ops.image import rot90 as rot90
from tapegrad.ops.image import total_variation as total_variation
from tapegrad.ops.image import transpose as transpose
