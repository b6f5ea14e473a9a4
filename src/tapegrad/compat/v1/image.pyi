# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

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
from tapegrad.ops.image_boxes import combined_non_max_suppression as combined_non_max_suppression
from tapegrad.ops.image_boxes import non_max_suppression as non_max_suppression
from tapegrad.ops.image_boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from tapegrad.ops.image_boxes import non_max_suppression_padded as non_max_suppression_padded
from tapegrad.ops.image_boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from tapegrad.ops.image_color import adjust_hue as adjust_hue
from tapegrad.ops.image_color import adjust_saturation as adjust_saturation
from tapegrad.ops.image_color import hsv_to_rgb as hsv_to_rgb
from tapegrad.ops.image_color import rgb_to_hsv as rgb_to_hsv
from tapegrad.ops.image_color import rgb_to_yiq as rgb_to_yiq
from tapegrad.ops.image_color import rgb_to_yuv as rgb_to_yuv
from tapegrad.ops.image_color import yiq_to_rgb as yiq_to_rgb
from tapegrad.ops.image_color import yuv_to_rgb as yuv_to_rgb
from tapegrad.ops.image_quality import image_gradients as image_gradients
from tapegrad.ops.image_quality import psnr as psnr
from tapegrad.ops.image_quality import sobel_edges as sobel_edges
from tapegrad.ops.image_quality import ssim as ssim
from tapegrad.ops.image_quality import ssim_multiscale as ssim_multiscale
from tapegrad.ops.image_random import random_brightness as random_brightness
from tapegrad.ops.image_random import random_contrast as random_contrast
from tapegrad.ops.image_random import random_crop as random_crop
from tapegrad.ops.image_random import random_flip_left_right as random_flip_left_right
from tapegrad.ops.image_random import random_flip_up_down as random_flip_up_down
from tapegrad.ops.image_random import random_hue as random_hue
from tapegrad.ops.image_random import random_saturation as random_saturation
from tapegrad.ops.resize import resize_with_crop_or_pad as resize_with_crop_or_pad
