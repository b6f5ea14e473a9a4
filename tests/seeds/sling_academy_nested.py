# From "TensorFlow `GradientTape`: A Guide to Automatic Differentiation", Sling Academy:
# "Nested GradientTape Contexts". The outer gradient is taken inside the outer block.
import tensorflow as tf

x = tf.Variable(3.0)

with tf.GradientTape() as t1:
    with tf.GradientTape() as t2:
        y = x * x * x
    dy_dx = t2.gradient(y, x)
    d2y_dx2 = t1.gradient(dy_dx, x)

print(dy_dx.numpy())   # Output should be 27.0
print(d2y_dx2.numpy()) # Output should be 18.0
#> 27.0
#> 18.0
