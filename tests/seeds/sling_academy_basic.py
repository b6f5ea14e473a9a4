# From "TensorFlow `GradientTape`: A Guide to Automatic Differentiation", Sling Academy:
# "Basic Structure of GradientTape". The tape is never entered.
import tensorflow as tf

# Define some inputs x and a simple operation on x
x = tf.constant(3.0)

y = tf.constant(2.0)

# Create a GradientTape object
tape = tf.GradientTape()

# Start recording the history of operations applied to x
tape.watch(x)

# Perform a simple operation
z = x * y

# Use the tape to get the gradient of z with respect to x
gradient = tape.gradient(z, x)
print(gradient.numpy())  # Output should be 2.0
#> 2.0
