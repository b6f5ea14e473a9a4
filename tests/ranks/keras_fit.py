import sys
import numpy as np
import tapegrad as tf
kind=sys.argv[1]
s=tf.distribute.MultiWorkerMirroredStrategy() if kind=="multi" else tf.distribute.MirroredStrategy() if kind=="mirror" else tf.distribute.get_strategy()
r=tf.distribute.rank()
rng=np.random.default_rng(0)
x=rng.normal(size=(64,5)).astype('f'); y=(x.sum(1,keepdims=True)>0).astype('f')
with s.scope():
    tf.keras.utils.set_random_seed(3)
    m=tf.keras.Sequential([tf.keras.Input((5,)),tf.keras.layers.Dense(8,activation='tanh'),tf.keras.layers.BatchNormalization(synchronized=True),tf.keras.layers.Dense(1,activation='sigmoid')])
    m.compile(tf.keras.optimizers.Adam(0.05),'binary_crossentropy',metrics=['accuracy'])
h=m.fit(x,y,batch_size=16,epochs=3,shuffle=False,verbose=0)
e=m.evaluate(x,y,batch_size=16,verbose=0)
p=m.predict(x,batch_size=16,verbose=0)
print(r,{k:np.round(v,5).tolist() for k,v in h.history.items()}, np.round(e,5), p.shape, np.round(p[:3,0],5), float(sum(np.abs(w).sum() for w in m.get_weights())))
