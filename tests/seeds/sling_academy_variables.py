# From "TensorFlow `GradientTape`: A Guide to Automatic Differentiation", Sling Academy:
# "Working with Variables". The tape is never entered.
import tensorflow as tf

# Define a variable
w = tf.Variable(5.0)

tape = tf.GradientTape()

# Execute operations within the GradientTape scope
tape.watch(w)

# A simple operation 
y = w * w

# Compute the gradient of y with respect to w
grad = tape.gradient(y, w)
print(grad.numpy())  # Output should be 10.0
#> 10.0
