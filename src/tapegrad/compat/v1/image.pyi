# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.images import adjust_jpeg_quality as adjust_jpeg_quality
from tapegrad.io.images import decode_and_crop_jpeg as decode_and_crop_jpeg
from tapegrad.io.images import decode_bmp as decode_bmp
from tapegrad.io.images import decode_gif as decode_gif
from tapegrad.io.images import decode_image as decode_image
from tapegrad.io.images import decode_jpeg as decode_jpeg
from tapegrad.io.images import decode_png as decode_png
from tapegrad.io.images import decode_webp as decode_webp
from tapegrad.io.images import encode_jpeg as encode_jpeg
from tapegrad.io.images import encode_png as encode_png
from tapegrad.io.images import extract_jpeg_shape as extract_jpeg_shape
from tapegrad.io.images import is_jpeg as is_jpeg
from tapegrad.io.images import random_jpeg_quality as random_jpeg_quality
from tapegrad.signatures.image.augment import random_brightness as random_brightness
from tapegrad.signatures.image.augment import random_contrast as random_contrast
from tapegrad.signatures.image.augment import random_crop as random_crop
from tapegrad.signatures.image.augment import random_flip_left_right as random_flip_left_right
from tapegrad.signatures.image.augment import random_flip_up_down as random_flip_up_down
from tapegrad.signatures.image.augment import random_hue as random_hue
from tapegrad.signatures.image.augment import random_saturation as random_saturation
from tapegrad.signatures.image.boxes import combined_non_max_suppression as combined_non_max_suppression
from tapegrad.signatures.image.boxes import non_max_suppression as non_max_suppression
from tapegrad.signatures.image.boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from tapegrad.signatures.image.boxes import non_max_suppression_padded as non_max_suppression_padded
from tapegrad.signatures.image.boxes import non_max_suppression_with_scores as non_max_suppression_with_scores
from tapegrad.signatures.image.color import adjust_hue as adjust_hue
from tapegrad.signatures.image.color import adjust_saturation as adjust_saturation
from tapegrad.signatures.image.color import hsv_to_rgb as hsv_to_rgb
from tapegrad.signatures.image.color import rgb_to_hsv as rgb_to_hsv
from tapegrad.signatures.image.color import rgb_to_yiq as rgb_to_yiq
from tapegrad.signatures.image.color import rgb_to_yuv as rgb_to_yuv
from tapegrad.signatures.image.color import yiq_to_rgb as yiq_to_rgb
from tapegrad.signatures.image.color import yuv_to_rgb as yuv_to_rgb
from tapegrad.signatures.image.crops import stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box
from tapegrad.signatures.image.pictures import adjust_brightness as adjust_brightness
from tapegrad.signatures.image.pictures import adjust_contrast as adjust_contrast
from tapegrad.signatures.image.pictures import adjust_gamma as adjust_gamma
from tapegrad.signatures.image.pictures import central_crop as central_crop
from tapegrad.signatures.image.pictures import convert_image_dtype as convert_image_dtype
from tapegrad.signatures.image.pictures import crop_to_bounding_box as crop_to_bounding_box
from tapegrad.signatures.image.pictures import flip_left_right as flip_left_right
from tapegrad.signatures.image.pictures import flip_up_down as flip_up_down
from tapegrad.signatures.image.pictures import grayscale_to_rgb as grayscale_to_rgb
from tapegrad.signatures.image.pictures import pad_to_bounding_box as pad_to_bounding_box
from tapegrad.signatures.image.pictures import per_image_standardization as per_image_standardization
from tapegrad.signatures.image.pictures import rgb_to_grayscale as rgb_to_grayscale
from tapegrad.signatures.image.pictures import rot90 as rot90
from tapegrad.signatures.image.pictures import total_variation as total_variation
from tapegrad.signatures.image.pictures import transpose as transpose
from tapegrad.signatures.image.quality import image_gradients as image_gradients
from tapegrad.signatures.image.quality import psnr as psnr
from tapegrad.signatures.image.quality import sobel_edges as sobel_edges
from tapegrad.signatures.image.quality import ssim as ssim
from tapegrad.signatures.image.quality import ssim_multiscale as ssim_multiscale
from tapegrad.signatures.image.resize import resize_with_crop_or_pad as resize_with_crop_or_pad
from tapegrad.v1.pictures import resize as resize
from tapegrad.v1.pictures import resize_area as resize_area
from tapegrad.v1.pictures import resize_bicubic as resize_bicubic
from tapegrad.v1.pictures import resize_bilinear as resize_bilinear
from tapegrad.v1.pictures import resize as _resize
from tapegrad.v1.pictures import resize_nearest_neighbor as resize_nearest_neighbor
from tapegrad.v1.pictures import ResizeMethodV1 as _ResizeMethodV1
from tapegrad.image import extract_patches as _extract_patches
from tapegrad.image import resize_with_crop_or_pad as _resize_image_with_crop_or_pad
from tapegrad.image import transpose as _transpose_image

resize_images = _resize
ResizeMethod = _ResizeMethodV1
extract_patches = _extract_patches
resize_image_with_crop_or_pad = _resize_image_with_crop_or_pad
transpose_image = _transpose_image
