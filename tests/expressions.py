"""Expressions on ragged tensors and strings, whose values in TensorFlow golden/record_ragged.py records."""

import pickle
from typing import Any

import numpy as np

TENSORS = r"""
R.from_row_splits([1,2,3],[0,2,3])
R.from_row_splits([1,2,3],[0,2,2])
R.from_row_splits([1,2,3],[1,2,3])
R.from_row_splits([1,2,3],[0,2,1,3])
R.from_row_splits([1,2,3],[])
R.from_row_splits([1,2,3],[[0,3]])
R.from_row_splits([1,2,3],[0.,3.])
R.from_row_splits(5,[0,3])
R.from_row_splits([1,2,3],[0,2,2],validate=False)
R.from_row_lengths([1,2,3],[1,-1,3])
R.from_row_lengths([1,2,3],[1,1])
R.from_row_lengths([1,2,3],[1,2])
R.from_value_rowids([1,2,3],[0,0,2])
R.from_value_rowids([1,2,3],[0,0,2],nrows=5)
R.from_value_rowids([1,2,3],[0,0,2],nrows=2)
R.from_value_rowids([1,2,3],[0,2,1])
R.from_value_rowids([1,2,3],[0,2])
R.from_value_rowids([1,2,3],[-1,0,0])
R.from_row_starts([1,2,3],[0,2])
R.from_row_starts([1,2,3],[1,2])
R.from_row_starts([1,2,3],[0,5])
R.from_row_limits([1,2,3],[2,3])
R.from_row_limits([1,2,3],[2,2])
R.from_uniform_row_length([1,2,3,4],2)
R.from_uniform_row_length([1,2,3,4],3)
R.from_uniform_row_length([],0,nrows=3)
R.from_uniform_row_length([],0)
R.from_uniform_row_length([1,2,3,4],2).shape
R.from_uniform_row_length(rt,1).shape
R.from_uniform_row_length(rt,1)
R.from_nested_row_splits([1,2,3,4],[[0,2,3],[0,1,2,4]])
R.from_nested_row_lengths([1,2,3],[[2,1],[1,1,1]])
R.from_nested_value_rowids([1,2,3],[[0,0,1],[0,1,2]])
R.from_nested_value_rowids([1,2,3],[[0,0,1],[0,1,2]],[3,3])
R.from_nested_row_splits(5, [])
R.from_nested_row_splits(5, 5)
R.from_tensor([[1,2,0],[3,0,0]])
R.from_tensor([[1,2,0],[3,0,0]],padding=0)
R.from_tensor([[1,2,0],[3,0,0]],lengths=[1,2])
R.from_tensor([[1,2,0],[3,0,0]],lengths=[1,9])
R.from_tensor([[[1,2],[0,0]],[[3,0],[4,5]]],lengths=([1,2],[1,2,1]))
R.from_tensor([[[1,2],[0,0]],[[3,0],[4,5]]],ragged_rank=2)
R.from_tensor([[[1,2],[0,0]],[[3,0],[4,5]]],padding=[0,0])
R.from_tensor([[[1,2],[0,0]],[[3,0],[4,5]]],padding=0,ragged_rank=2)
R.from_tensor([1,2])
R.from_tensor([[1,2]],ragged_rank=3)
R.from_tensor([[1,2]],padding=0,lengths=[1])
R.from_sparse(tf.SparseTensor([[0,0],[0,1],[2,0]],[1,2,3],[3,4]))
R.from_sparse(tf.SparseTensor([[0,0],[0,2],[2,0]],[1,2,3],[3,4]))
R.from_sparse(tf.SparseTensor([[0]],[1],[3]))
rt.values
r3.values
r3.flat_values
r3.row_splits
r3.nested_row_splits
r3.nested_row_lengths()
r3.nested_value_rowids()
r3.ragged_rank
rt.uniform_row_length
rt.shape
r3.shape
r3.get_shape()
rt.dtype
rt.nrows()
rt.nrows(out_type=tf.int32)
rt.row_lengths()
r3.row_lengths(axis=2)
r3.row_lengths(axis=0)
r3.row_lengths(axis=3)
R.from_tensor([[[1,2],[3,4]]]).row_lengths(axis=2)
rt.row_starts()
rt.row_limits()
rt.value_rowids()
rt.bounding_shape()
r3.bounding_shape()
r3.bounding_shape(axis=1)
r3.bounding_shape(axis=[0,2])
r3.bounding_shape(out_type=tf.int32)
rt.with_values([4,5,6])
rt.with_values([4,5])
rt.with_flat_values([4,5,6])
r3.with_flat_values([4,5,6])
rt.with_row_splits_dtype(tf.int32).row_splits
r3.merge_dims(0,1)
r3.merge_dims(1,2)
r3.merge_dims(0,2)
r3.merge_dims(-1,1)
r3.merge_dims(1,1)
r3.merge_dims(2,5)
rt.to_tensor()
rt.to_tensor(default_value=9)
rt.to_tensor(shape=[None,1])
rt.to_tensor(shape=[4,3])
rt.to_tensor(shape=[4])
r3.to_tensor(default_value=7)
rt.to_tensor(default_value=1.5)
rt.to_sparse()
r3.to_sparse().indices
rt.to_list()
r3.to_list()
rt.numpy()
r3.numpy()
tf.ragged.constant([[1,2],[3,4]]).numpy()
tf.ragged.constant([['a'],['b','c']])
tf.ragged.constant([['a'],['b','c']]).to_list()
tf.ragged.constant([['a'],['b','c']]).numpy()
rt.consumers()
len(rt)
bool(rt)
list(iter(rt))
hash(rt)
rt in [rt]
rt == rt
rt == [[1],[2],[3]]
rt == 3
rt != rt
rt + 1
1 + rt
rt + rt
rt * [[1],[2],[3]]
rt + [1,2]
rt + tf.constant([[10],[20],[30]])
rt + r3
rt - 1
rt / 2
rt // 2
rt % 2
rt ** 2
2 ** rt
-rt
abs(rt)
~tf.ragged.constant([[True]])
rt < 2
rt & rt
tf.ragged.constant([[True]]) & True
rt @ rt
tf.convert_to_tensor(rt)
tf.constant(rt)
np.array(rt)
tf.is_tensor(rt)
isinstance(rt, tf.Tensor)
tf.type_spec_from_value(rt)
tf.type_spec_from_value(r3)
rt._type_spec
pickle.loads(pickle.dumps(rt))
tf.nest.flatten(r3)
tf.nest.flatten(r3, expand_composites=True)
tf.nest.map_structure(lambda x: x*2, r3, expand_composites=True)
rt.name
rt.op
rt.graph
rt.device
rt.__array__()
rt.eval()
rt.shape.as_list()
rt.foo
tf.ragged.constant([[[1,2]],[[3,4],[5,6]]],ragged_rank=1)
tf.ragged.constant([[[1,2]],[[3,4],[5,6]]],inner_shape=(2,)).shape
tf.ragged.constant([])
tf.ragged.constant([[]])
tf.ragged.constant([[],[[]]])
tf.ragged.constant([[],[[]]]).shape
tf.ragged.constant(3)
tf.ragged.constant([1,2])
tf.ragged.constant([1,[2]])
tf.ragged.constant([[1],[[2]]])
tf.ragged.constant([[1],[2.5]])
tf.ragged.constant([[1],['a']])
tf.ragged.constant([[1],[2]],dtype=tf.float64)
tf.ragged.constant([[1],[2]],dtype=tf.string)
tf.ragged.constant([[1],[2]],row_splits_dtype=tf.int32).row_splits
tf.ragged.constant([[1],[2]],row_splits_dtype='int32').row_splits
tf.ragged.constant([[1],[2]],row_splits_dtype=tf.float32)
tf.ragged.constant([[1],[2]],ragged_rank=0)
tf.ragged.constant([[1],[2,3]],ragged_rank=0)
tf.ragged.constant([[1],[2]],ragged_rank=2)
tf.ragged.constant(np.array([[1,2],[3,4]]))
tf.ragged.constant([np.array([1,2]),np.array([3])])
tf.ragged.constant([[1,2],[3]],name='x')
tf.ragged.constant([[1,2],[3]],inner_shape=(7,))
R.from_row_splits(values=[1.,2.], row_splits=tf.constant([0,2])).row_splits
R.from_row_splits(rt, [0,3]).row_splits
R.from_row_splits(rt, tf.constant([0,3])).row_splits
R.from_row_splits(rt, tf.constant([0,3])).values.row_splits
R(1,2)
str(rt)
str(r3)
str(tf.ragged.constant([['a'],['b','c']]))
str(tf.ragged.constant([[1.5],[2.0]]))
repr(tf.ragged.constant([list(range(50)),[]]))
repr(tf.ragged.range(tf.range(200)))
repr(R.from_row_splits(tf.zeros([0,2]),[0]))
"""

OPS = r"""
rt[0]
rt[-1]
rt[1]
rt[5]
rt[-4]
rt[0,1]
rt[0,-1]
rt[1,0]
rt[0:2]
rt[::2]
rt[::-1]
rt[2:0:-1]
rt[5:]
rt[:,0]
rt[::2,0]
rt[:,1:]
rt[:,:2]
rt[:,-1:]
rt[:,:-1]
rt[:,::2]
rt[:,::-1]
rt[:,1:10]
rt[:,2:0:-1]
rt[:,-2:]
rt[...]
rt[...,0:1]
rt[...,:1]
rt[0,...]
rt[:,tf.newaxis]
rt[tf.newaxis]
rt[:,:,tf.newaxis]
rt[:,:,tf.newaxis].shape
rt[:,tf.newaxis].shape
rt[tf.newaxis].shape
rt[...,tf.newaxis]
rt[0,0,0]
rt[:,:,0]
rt['a']
rt[1.5]
rt[[0,1]]
rt[rb]
rt[tf.constant([True,False,True])]
rt[tf.constant(1)]
rt[tf.constant(0):tf.constant(2)]
rt[::0]
rt[None:None]
r3[0]
r3[0,1]
r3[0,1,0]
r3[0,0,1]
r3[1]
r3[1,0]
r3[:,1:]
r3[:,:,1:]
r3[:,:,::-1]
r3[:,:,:1].shape
r3[0,:,0]
r3[0:1,:,0:1]
r3[2,0]
r3[...,0]
r3[...,1:]
r3[:,0]
r3[::2,0]
r3[:,:,0]
r3[::-1]
r3[:,::-1]
r2d[:,:,0]
r2d[...,0]
r2d[:,1:,:1]
r2d[0]
r2d[0,1]
r2d[0,1,1]
r2d[:,:,::-1]
r2d[:,0]
r2d[::2,0]
ru[0]
ru[0,1]
ru[:,0]
ru[:,1:]
ru[:,1:].shape
ru[:,:,0:1]
ru[:,-1]
ru[:,5]
ru[:,::2]
ru.shape
rt.shape
rt[0:2].shape
rt[:,1:].shape
r2d.shape
rt[..., ...]
rt[0:1,0:1,0:1]
rt.__getitem__(slice(0,1.5))
tf.size(rt)
tf.size(r3, out_type=tf.int64)
tf.rank(r3)
tf.expand_dims(rt,0)
tf.expand_dims(rt,0).shape
tf.expand_dims(rt,1)
tf.expand_dims(rt,1).shape
tf.expand_dims(rt,2).shape
tf.expand_dims(rt,-1)
tf.expand_dims(rt,-2).shape
tf.expand_dims(rt,3)
tf.expand_dims(r3,1)
tf.expand_dims(r3,2)
tf.expand_dims(r2d,3).shape
tf.squeeze(tf.ragged.constant([[[1],[2]],[[3]]]))
tf.squeeze(tf.ragged.constant([[[1],[2]],[[3]]]),2)
tf.squeeze(tf.ragged.constant([[[1],[2]],[[3]]]),[2])
tf.squeeze(tf.ragged.constant([[1],[2]]),1)
tf.squeeze(tf.ragged.constant([[1,2]]),0)
tf.squeeze(tf.expand_dims(rt,0),0)
tf.squeeze(tf.expand_dims(rt,1),1)
tf.squeeze(tf.expand_dims(rt,2),2)
tf.squeeze(rt,1)
tf.squeeze(tf.expand_dims(rt,0))
tf.reverse(rt,[0])
tf.reverse(rt,[1])
tf.reverse(r3,[0,2])
tf.reverse(rt,[5])
tf.tile(rt,[2,1])
tf.tile(rt,[1,2])
tf.tile(rt,[2,3])
tf.tile(r3,[1,2,2])
tf.tile(r2d,[1,2,2])
tf.tile(rt,[0,1])
tf.tile(rt,[1])
tf.concat([rt,rt],0)
tf.concat([rt,rt],1)
tf.concat([rt,[[9]]],0)
tf.concat([rt,[[9],[8],[7]]],1)
tf.concat([rt,[[9],[8]]],1)
tf.concat([r3,r3],0)
tf.concat([r3,r3],1)
tf.concat([r3,r3],2)
tf.concat([rt,r3],0)
tf.concat([r2d,r2d],1)
tf.concat([r2d,r2d],2)
tf.concat([rt],0)
tf.concat([rt,rt],-1)
tf.concat([rt,rf],0)
tf.stack([rt,rt],0)
tf.stack([rt,rt],1)
tf.stack([rt,rt],2)
tf.stack([rt,rt])
tf.stack([rt,rt],-1)
tf.stack([rt,[[1]]],0)
tf.ragged.stack([[1,2],[3]],0)
tf.ragged.stack([[1,2],[3]],1)
tf.ragged.stack([tf.constant([1,2]),tf.constant([3,4,5])])
tf.ragged.stack([rt,tf.constant([[1,2]])])
tf.ragged.stack([1,2])
tf.ragged.stack([rt],0)
tf.ragged.stack([[1,2],[3,4]],1)
tf.gather(rt,[2,0])
tf.gather(tf.RaggedTensor.from_tensor(tf.zeros([2,4])),[1,0])
tf.gather(tf.RaggedTensor.from_tensor(tf.zeros([2,3,4]),ragged_rank=2),[1])
tf.gather_nd(tf.RaggedTensor.from_tensor(tf.zeros([2,3,4]),ragged_rank=2),[[1,0]])
tf.ragged.boolean_mask(tf.RaggedTensor.from_tensor(tf.zeros([2,4])),[True,False])
tf.RaggedTensor.from_tensor(tf.zeros([2,3,4]),ragged_rank=2).merge_dims(1,2)
tf.squeeze(tf.expand_dims(tf.RaggedTensor.from_tensor(tf.zeros([2,4])),1),1)
tf.dynamic_partition(tf.RaggedTensor.from_tensor(tf.zeros([2,4])),[0,1],2)[0]
tf.gather(rt,2)
tf.gather(rt,[[0,1],[2,2]])
tf.gather(tf.constant([10,20,30,40,50,60]),rt)
tf.gather(tf.constant([[1,2],[3,4]]),tf.ragged.constant([[0],[1,0]]))
tf.gather(rt,tf.ragged.constant([[0],[1,2]]))
tf.gather(r3,[0,2])
tf.gather(r3,[0],axis=0)
tf.gather(rt,tf.ragged.constant([[0,1],[],[1]]),batch_dims=1)
tf.gather(rt,tf.ragged.constant([[0,1],[],[1]]),axis=1,batch_dims=1)
tf.gather(rt,[9])
tf.gather(rt,[[0,2],[],[1]],batch_dims=1)
tf.gather(tf.constant([[1,2,3],[4,5,6]]),tf.ragged.constant([[0],[1,2]]),batch_dims=1)
tf.gather(tf.ragged.constant([[1,2],[3,4]]),[[0],[1]],batch_dims=1)
tf.gather_nd(rt,[[0,1],[2,0]])
tf.gather_nd(rt,[[0],[2]])
tf.gather_nd(r3,[[0,1],[2,0]])
tf.gather_nd(r3,[0,1])
tf.gather_nd(r3,[[0,1,0]])
tf.gather_nd(tf.constant([[1,2],[3,4]]),tf.ragged.constant([[[0,1]],[]],inner_shape=(2,)))
tf.boolean_mask(rt,tf.constant([True,False,True]))
tf.boolean_mask(rt,rb)
tf.ragged.boolean_mask([[1,2,3],[4,5,6]],[[True,False,True],[False,False,True]])
tf.ragged.boolean_mask([1,2,3],[True,False,True])
tf.ragged.boolean_mask(rt,rb)
tf.ragged.boolean_mask(rt,[True,False,True])
tf.ragged.boolean_mask(r3,[True,False,True])
tf.ragged.boolean_mask([[[1,2],[3,4]],[[5,6],[7,8]]],[[True,False],[True,True]])
tf.ragged.boolean_mask(r3,tf.ragged.constant([[True,False],[],[True]]))
tf.ragged.boolean_mask(rt,tf.ragged.constant([[True],[],[False]]))
tf.ragged.boolean_mask([1,2],True)
tf.ragged.map_flat_values(tf.square,rt)
tf.ragged.map_flat_values(lambda x,y:x*y,rt,rt)
tf.ragged.map_flat_values(lambda x,y:x*y,rt,r3)
tf.ragged.map_flat_values(tf.square,[1,2])
tf.ragged.map_flat_values(lambda x: x[:2],rt)
tf.ragged.stack_dynamic_partitions(['a','b','c','d'],[0,1,0,3],4)
tf.ragged.stack_dynamic_partitions(rt,[1,0,1],2)
tf.ragged.stack_dynamic_partitions(rt,tf.ragged.constant([[0,1,0],[],[1,1]]),2)
tf.ragged.cross([tf.ragged.constant([['a'],['b','c']]),tf.ragged.constant([['d'],['e']])])
tf.ragged.cross([[['a'],['b']],tf.ragged.constant([[1],[2,3]])])
tf.ragged.cross_hashed([tf.ragged.constant([['a'],['b','c']]),tf.ragged.constant([['d'],['e']])],num_buckets=100)
tf.ragged.cross_hashed([tf.ragged.constant([['a'],['b','c']]),tf.ragged.constant([['d'],['e']])])
tf.ragged.row_splits_to_segment_ids([0,3,3,5])
tf.ragged.segment_ids_to_row_splits([0,0,0,2,2])
tf.ragged.segment_ids_to_row_splits([0,0,0,2,2],num_segments=5)
tf.ragged.range([2,0,3])
tf.ragged.range([1,5],[3,8])
tf.ragged.range([1,5],[3,8],2)
tf.ragged.range(3)
tf.ragged.range([5,5],[0,3],-2)
tf.ragged.range([0.,1.],[1.,2.],0.3)
tf.ragged.range([1,5],[3,8],0)
tf.ragged.range([1,5],[3.5,8])
tf.ragged.range(tf.constant([3],tf.int64))
tf.ragged.range([2],row_splits_dtype=tf.int32).row_splits
R.from_tensor([[1,2],[3,4]]).shape
R.from_tensor([[1,2],[3,4]]).uniform_row_length
R.from_tensor(tf.zeros([2,0])).shape
R.from_tensor(tf.zeros([2,2,2]),ragged_rank=2).shape
R.from_tensor(tf.zeros([2,2,2])).shape
R.from_tensor([[1,2],[3,4]],padding=4).shape
R.from_row_splits(tf.zeros([0,2]),[0,0]).to_tensor()
tf.ragged.constant([[]]).to_tensor()
tf.ragged.constant([[],[]],dtype=tf.string).to_tensor()
rs.to_tensor()
rs.to_tensor('x')
r2d.to_tensor()
r2d.to_tensor(shape=[None,None,2])
r2d.to_tensor(default_value=[8,9])
r2d.to_sparse().dense_shape
r2d.bounding_shape()
r2d.to_list()
r2d.numpy()
r2d
tf.RaggedTensorSpec()
tf.RaggedTensorSpec([None,None])
tf.RaggedTensorSpec([None,None],tf.int32,1,tf.int32)
tf.RaggedTensorSpec([2,None],ragged_rank=2)
tf.RaggedTensorSpec([2,None],tf.int32).is_compatible_with(rt)
tf.RaggedTensorSpec([3,None],tf.int32).is_compatible_with(rt)
tf.RaggedTensorSpec([None,None],tf.int32)._batch(3)
tf.RaggedTensorSpec([None,None],tf.int32)._unbatch()
tf.RaggedTensorSpec([None,None,None],tf.int32)._unbatch()
tf.RaggedTensorSpec([None,None],tf.int32)==tf.RaggedTensorSpec([None,None],tf.int32)
tf.RaggedTensorSpec([2,None],tf.int32).most_specific_compatible_type(tf.RaggedTensorSpec([3,None],tf.int32))
tf.RaggedTensorSpec([2,None],tf.int32).is_subtype_of(tf.RaggedTensorSpec([None,None],tf.int32))
tf.experimental.RowPartition.from_row_lengths([2,0,1])
tf.experimental.RowPartition.from_uniform_row_length(2,nvals=4)
tf.experimental.RowPartition.from_row_lengths([2,0,1]).offsets_in_rows()
tf.reduce_sum(rt,None)
tf.reduce_sum(rt,0)
tf.reduce_sum(rt,1)
tf.reduce_sum(rt,-1)
tf.reduce_sum(rt,[0,1])
tf.reduce_sum(rf,None)
tf.reduce_sum(rf,0)
tf.reduce_sum(rf,1)
tf.reduce_sum(rf,-1)
tf.reduce_sum(rf,[0,1])
tf.reduce_sum(r3,None)
tf.reduce_sum(r3,0)
tf.reduce_sum(r3,1)
tf.reduce_sum(r3,-1)
tf.reduce_sum(r3,[0,1])
tf.reduce_sum(r3,2)
tf.reduce_sum(r3,[1,2])
tf.reduce_sum(r3,[0,2])
tf.reduce_sum(r3,[0,1,2])
tf.reduce_sum(r2f,None)
tf.reduce_sum(r2f,0)
tf.reduce_sum(r2f,1)
tf.reduce_sum(r2f,-1)
tf.reduce_sum(r2f,[0,1])
tf.reduce_sum(r2f,2)
tf.reduce_sum(r2f,[1,2])
tf.reduce_sum(r2f,[0,2])
tf.reduce_sum(r2f,[0,1,2])
tf.reduce_prod(rt,None)
tf.reduce_prod(rt,0)
tf.reduce_prod(rt,1)
tf.reduce_prod(rt,-1)
tf.reduce_prod(rt,[0,1])
tf.reduce_prod(rf,None)
tf.reduce_prod(rf,0)
tf.reduce_prod(rf,1)
tf.reduce_prod(rf,-1)
tf.reduce_prod(rf,[0,1])
tf.reduce_prod(r3,None)
tf.reduce_prod(r3,0)
tf.reduce_prod(r3,1)
tf.reduce_prod(r3,-1)
tf.reduce_prod(r3,[0,1])
tf.reduce_prod(r3,2)
tf.reduce_prod(r3,[1,2])
tf.reduce_prod(r3,[0,2])
tf.reduce_prod(r3,[0,1,2])
tf.reduce_prod(r2f,None)
tf.reduce_prod(r2f,0)
tf.reduce_prod(r2f,1)
tf.reduce_prod(r2f,-1)
tf.reduce_prod(r2f,[0,1])
tf.reduce_prod(r2f,2)
tf.reduce_prod(r2f,[1,2])
tf.reduce_prod(r2f,[0,2])
tf.reduce_prod(r2f,[0,1,2])
tf.reduce_min(rt,None)
tf.reduce_min(rt,0)
tf.reduce_min(rt,1)
tf.reduce_min(rt,-1)
tf.reduce_min(rt,[0,1])
tf.reduce_min(rf,None)
tf.reduce_min(rf,0)
tf.reduce_min(rf,1)
tf.reduce_min(rf,-1)
tf.reduce_min(rf,[0,1])
tf.reduce_min(r3,None)
tf.reduce_min(r3,0)
tf.reduce_min(r3,1)
tf.reduce_min(r3,-1)
tf.reduce_min(r3,[0,1])
tf.reduce_min(r3,2)
tf.reduce_min(r3,[1,2])
tf.reduce_min(r3,[0,2])
tf.reduce_min(r3,[0,1,2])
tf.reduce_min(r2f,None)
tf.reduce_min(r2f,0)
tf.reduce_min(r2f,1)
tf.reduce_min(r2f,-1)
tf.reduce_min(r2f,[0,1])
tf.reduce_min(r2f,2)
tf.reduce_min(r2f,[1,2])
tf.reduce_min(r2f,[0,2])
tf.reduce_min(r2f,[0,1,2])
tf.reduce_max(rt,None)
tf.reduce_max(rt,0)
tf.reduce_max(rt,1)
tf.reduce_max(rt,-1)
tf.reduce_max(rt,[0,1])
tf.reduce_max(rf,None)
tf.reduce_max(rf,0)
tf.reduce_max(rf,1)
tf.reduce_max(rf,-1)
tf.reduce_max(rf,[0,1])
tf.reduce_max(r3,None)
tf.reduce_max(r3,0)
tf.reduce_max(r3,1)
tf.reduce_max(r3,-1)
tf.reduce_max(r3,[0,1])
tf.reduce_max(r3,2)
tf.reduce_max(r3,[1,2])
tf.reduce_max(r3,[0,2])
tf.reduce_max(r3,[0,1,2])
tf.reduce_max(r2f,None)
tf.reduce_max(r2f,0)
tf.reduce_max(r2f,1)
tf.reduce_max(r2f,-1)
tf.reduce_max(r2f,[0,1])
tf.reduce_max(r2f,2)
tf.reduce_max(r2f,[1,2])
tf.reduce_max(r2f,[0,2])
tf.reduce_max(r2f,[0,1,2])
tf.reduce_mean(rt,None)
tf.reduce_mean(rt,0)
tf.reduce_mean(rt,1)
tf.reduce_mean(rt,-1)
tf.reduce_mean(rt,[0,1])
tf.reduce_mean(rf,None)
tf.reduce_mean(rf,0)
tf.reduce_mean(rf,1)
tf.reduce_mean(rf,-1)
tf.reduce_mean(rf,[0,1])
tf.reduce_mean(r3,None)
tf.reduce_mean(r3,0)
tf.reduce_mean(r3,1)
tf.reduce_mean(r3,-1)
tf.reduce_mean(r3,[0,1])
tf.reduce_mean(r3,2)
tf.reduce_mean(r3,[1,2])
tf.reduce_mean(r3,[0,2])
tf.reduce_mean(r3,[0,1,2])
tf.reduce_mean(r2f,None)
tf.reduce_mean(r2f,0)
tf.reduce_mean(r2f,1)
tf.reduce_mean(r2f,-1)
tf.reduce_mean(r2f,[0,1])
tf.reduce_mean(r2f,2)
tf.reduce_mean(r2f,[1,2])
tf.reduce_mean(r2f,[0,2])
tf.reduce_mean(r2f,[0,1,2])
tf.reduce_any(rb,None)
tf.reduce_any(rb,0)
tf.reduce_any(rb,1)
tf.reduce_any(rb,-1)
tf.reduce_any(rb,[0,1])
tf.reduce_all(rb,None)
tf.reduce_all(rb,0)
tf.reduce_all(rb,1)
tf.reduce_all(rb,-1)
tf.reduce_all(rb,[0,1])
tf.math.reduce_variance(rt,None)
tf.math.reduce_variance(rt,0)
tf.math.reduce_variance(rt,1)
tf.math.reduce_variance(rt,-1)
tf.math.reduce_variance(rt,[0,1])
tf.math.reduce_variance(rf,None)
tf.math.reduce_variance(rf,0)
tf.math.reduce_variance(rf,1)
tf.math.reduce_variance(rf,-1)
tf.math.reduce_variance(rf,[0,1])
tf.math.reduce_variance(r3,None)
tf.math.reduce_variance(r3,0)
tf.math.reduce_variance(r3,1)
tf.math.reduce_variance(r3,-1)
tf.math.reduce_variance(r3,[0,1])
tf.math.reduce_variance(r3,2)
tf.math.reduce_variance(r3,[1,2])
tf.math.reduce_variance(r3,[0,2])
tf.math.reduce_variance(r3,[0,1,2])
tf.math.reduce_variance(r2f,None)
tf.math.reduce_variance(r2f,0)
tf.math.reduce_variance(r2f,1)
tf.math.reduce_variance(r2f,-1)
tf.math.reduce_variance(r2f,[0,1])
tf.math.reduce_variance(r2f,2)
tf.math.reduce_variance(r2f,[1,2])
tf.math.reduce_variance(r2f,[0,2])
tf.math.reduce_variance(r2f,[0,1,2])
tf.math.reduce_std(rt,None)
tf.math.reduce_std(rt,0)
tf.math.reduce_std(rt,1)
tf.math.reduce_std(rt,-1)
tf.math.reduce_std(rt,[0,1])
tf.math.reduce_std(rf,None)
tf.math.reduce_std(rf,0)
tf.math.reduce_std(rf,1)
tf.math.reduce_std(rf,-1)
tf.math.reduce_std(rf,[0,1])
tf.math.reduce_std(r3,None)
tf.math.reduce_std(r3,0)
tf.math.reduce_std(r3,1)
tf.math.reduce_std(r3,-1)
tf.math.reduce_std(r3,[0,1])
tf.math.reduce_std(r3,2)
tf.math.reduce_std(r3,[1,2])
tf.math.reduce_std(r3,[0,2])
tf.math.reduce_std(r3,[0,1,2])
tf.math.reduce_std(r2f,None)
tf.math.reduce_std(r2f,0)
tf.math.reduce_std(r2f,1)
tf.math.reduce_std(r2f,-1)
tf.math.reduce_std(r2f,[0,1])
tf.math.reduce_std(r2f,2)
tf.math.reduce_std(r2f,[1,2])
tf.math.reduce_std(r2f,[0,2])
tf.math.reduce_std(r2f,[0,1,2])
tf.reduce_sum(rt,1,keepdims=True)
tf.reduce_sum(rt,0,keepdims=True)
tf.reduce_sum(rt,keepdims=True)
tf.reduce_sum(r3,[1,2],keepdims=True)
tf.reduce_sum(r3,2,keepdims=True)
tf.reduce_max(r3,1,keepdims=True)
tf.reduce_mean(rf,1,keepdims=True)
tf.reduce_sum(rt,axis=5)
tf.reduce_sum(rt,axis=[])
tf.reduce_sum(rs,axis=1)
tf.reduce_mean(rt,axis=1)
tf.math.reduce_logsumexp(rf,1)
tf.math.reduce_euclidean_norm(rf,1)
tf.math.count_nonzero(rf)
tf.cast(rt,tf.float32)
tf.cast(rf,'int64')
tf.math.exp(rf)
tf.sigmoid(rf)
tf.nn.relu(rf)
tf.nn.gelu(rf)
tf.nn.leaky_relu(rf, 0.1)
tf.nn.silu(rf)
tf.nn.elu(rf)
tf.nn.softmax(rf)
tf.nn.softmax(r2f)
tf.nn.log_softmax(rf)
tf.nn.dropout(rf,0.)
tf.nn.l2_normalize(rf,1)
tf.math.log_sigmoid(rf)
tf.abs(rt)
tf.math.angle(rc)
tf.math.real(rc)
tf.math.conj(rc)
tf.complex(rf,rf)
tf.complex(rf,1.)
tf.saturate_cast(rf,tf.uint8)
tf.clip_by_value(rf,2.,4.)
tf.clip_by_value(rf,[[2.],[2.],[2.]],4.)
tf.zeros_like(rt)
tf.ones_like(rt,dtype=tf.float32)
tf.ones_like(rs)
tf.zeros_like(rs)
tf.one_hot(rt,6)
tf.one_hot(rt,6).shape
tf.one_hot(rt,6,axis=1)
tf.one_hot(rt,6,axis=-1,dtype=tf.int32)
tf.where(rb)
tf.where(rb,rt,-rt)
tf.where(rb,1,0)
tf.where(rt>1,rt,0)
tf.where([[True],[False],[True]],rt,0)
tf.where([True,False,True],rt,rt*10)
tf.where(True,rt,rt*10)
tf.equal(rt,rt)
tf.equal(rt,r3)
tf.math.equal(rt,3)
tf.not_equal(rt,3)
rt == r3
rt == [1,2]
tf.add(rt,rt)
tf.add(rt,rf)
tf.add_n([rt,rt])
tf.add(rt,tf.ragged.constant([[1],[2],[3]]))
tf.add(r3,[[[10]],[[20]],[[30]]])
tf.add(r3,[[10],[20]])
tf.add(r2d,[10,20])
tf.add(r2d,[[[10],[20]]])
tf.add(r2d,rt[:,:2])
tf.add(r2d,tf.ragged.constant([[[1],[2]],[],[[3]]],ragged_rank=1))
tf.add(ru,rt)
tf.add(ru,[[[10],[20],[30]]])
tf.add(rt,tf.ragged.constant([[1]]))
tf.add(rt,tf.constant([[1]]))
tf.add(rt,tf.constant([1]))
tf.add(rt,tf.constant([[1],[2]]))
tf.add(tf.constant([1,2,3]),R.from_tensor([[1,2,3]]))
tf.add(rt,tf.zeros([3,3],tf.int32))
tf.add(rt,[[[1],[2],[3]]])
tf.maximum(rt,2)
tf.math.floormod(rt,2)
tf.pow(rf,2.)
tf.truediv(rt,2)
tf.divide(rt,2)
tf.math.divide_no_nan(rf,0.)
tf.math.scalar_mul(2,rt)
tf.math.logical_xor(rb,True)
tf.logical_not(rb)
tf.math.is_nan(rf)
tf.math.squared_difference(rf,1.)
tf.math.cumsum(rt)
tf.math.atan2(rf,rf)
tf.math.xlogy(rf,rf)
tf.bitcast(rf,tf.int32)
tf.identity(rt)
tf.stop_gradient(rf)
tf.broadcast_to(rt,[3,3])
tf.reshape(rt,[5])
tf.matmul(r2f,tf.ones([2,3]))
tf.matmul(r2f,tf.ones([3,2,3]))
tf.matmul(r3f,r3f)
tf.matmul(tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]]),tf.ones([2,2,3]))
tf.matmul(tf.ragged.constant([[[[1.,2],[3,4]],[[5,6]]],[[[1.,1]]]],ragged_rank=2),tf.ragged.constant([[[[1.],[2]],[[5],[6]]],[[[1.],[1]]]],ragged_rank=1))
tf.matmul(tf.ragged.constant([[[[1.,2],[3,4]],[[5,6]]],[[[1.,1]]]],ragged_rank=2),tf.ones([2,2,2,3]))
tf.matmul(tf.ragged.constant([[[1.,2,3],[3,4,5]],[[5,6]]]),tf.ragged.constant([[[1.],[2],[3]],[[1],[2]]]))
tf.matmul(tf.ragged.constant([[[1.],[2],[3]],[[1],[2]]]),tf.ragged.constant([[[1.,2,3],[3,4,5]],[[5,6]]]),transpose_a=True)
tf.matmul(tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),tf.ones([2,2,3]),transpose_b=True)
tf.matmul(tf.ones([2,3,2]),tf.ragged.constant([[[1.],[2]],[[1],[2]]],ragged_rank=1))
tf.matmul(tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),transpose_b=True)
tf.matmul(tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),adjoint_a=True)
tf.matmul(tf.ragged.constant([[[[1.,2],[3,4]],[[5,6]]],[[[1.,1]]]],ragged_rank=2),tf.ragged.constant([[[[1.,2],[3,4]],[[5,6]]],[[[1.,1]]]],ragged_rank=2),transpose_b=True)
tf.matmul(tf.ragged.constant([[[[1.,2],[3,4]],[[5,6]]],[[[1.,1]]]],ragged_rank=2),tf.ragged.constant([[[[1.,2],[3,4]],[[5,6]]],[[[1.,1]]]],ragged_rank=2),transpose_a=True)
tf.matmul(tf.ragged.constant([[[1.,2,3],[3,4,5]],[[5,6]]]),tf.ragged.constant([[[1.,2,3],[3,4,5]],[[5,6]]]),transpose_b=True).ragged_rank
tf.matmul(tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),transpose_a=True).shape
tf.matmul(tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]]),transpose_b=True).shape
tf.matmul(tf.ones([2,2,3]),tf.ragged.constant([[[1.,2],[3,4]],[[5,6]]],ragged_rank=1),transpose_a=True,transpose_b=True)
tf.matmul(tf.ragged.constant([[[1.,2,3],[3,4,5]],[[5,6]]]),tf.ones([2,3,2]))
tf.reshape([1,2,3,4,5,6],tf.experimental.DynamicRaggedShape.from_lengths([4,(1,3,0,2)]))
tf.reshape(tf.range(6),tf.experimental.DynamicRaggedShape.from_lengths([2,(2,1),2]))
tf.reshape(rt,tf.experimental.DynamicRaggedShape.from_lengths([3,1]))
tf.reshape([1,2,3],tf.experimental.DynamicRaggedShape.from_lengths([4,(1,3,0,2)]))
tf.reshape(tf.range(6),tf.experimental.DynamicRaggedShape.from_lengths([2,3]))
tf.reshape([[1,2],[3,4],[5,6]],tf.experimental.DynamicRaggedShape.from_lengths([2,(2,1),2]))
tf.split(rt,3)
tf.split(rt,[1,2])
tf.split(rt,[1,2],axis=0)
tf.split(r2d,2,axis=2)
tf.split(ru,3,axis=1)
tf.split(rt,2,axis=1)
tf.map_fn(lambda x: x*2,rt)
tf.map_fn(lambda x: x*2,rt,fn_output_signature=tf.RaggedTensorSpec([None],tf.int32))
tf.map_fn(lambda x: x[:1],rt,fn_output_signature=tf.RaggedTensorSpec([None],tf.int32,0))
tf.map_fn(lambda x: tf.range(x),tf.constant([1,2,0]),fn_output_signature=tf.RaggedTensorSpec([None],tf.int32))
tf.map_fn(lambda x: tf.reduce_mean(x,0),rf,fn_output_signature=tf.float32)
tf.map_fn(lambda x: tf.reduce_sum(x,-1),r3)
tf.nn.embedding_lookup(tf.reshape(tf.range(20),[10,2]),rt)
tf.nn.embedding_lookup_sparse(tf.reshape(tf.range(20.),[10,2]),rt,None,combiner='sum')
tf.nn.embedding_lookup_sparse(tf.reshape(tf.range(20.),[10,2]),rt,rf,combiner='mean')
tf.nn.safe_embedding_lookup_sparse(tf.reshape(tf.range(20.),[10,2]),rt)
tf.dynamic_partition(rt,tf.ragged.constant([[0,1,0],[],[1,1]]),2)
tf.math.unsorted_segment_sum(rt,rt,6)
tf.math.unsorted_segment_sum(rt,[0,1,0],2)
tf.math.segment_sum(rt,[0,0,1])
tf.math.bincount(rt)
tf.math.bincount(rt,axis=-1)
tf.math.bincount(rt,axis=-1,minlength=8)
tf.sparse.bincount(rt,axis=-1).values
tf.nn.sigmoid_cross_entropy_with_logits(rf,rf)
tf.debugging.assert_equal(rt,rt)
tf.debugging.assert_less(rt,rt)
tf.debugging.assert_greater(rt,0)
tf.debugging.check_numerics(rf,'x')
tf.image.adjust_brightness(r2f,0.5)
tf.sort(rt)
tf.unique(rt)
tf.argmax(rt)
tf.linalg.matvec(rf,rf)
tf.transpose(rt)
tf.unstack(rt)
tf.pad(rt,[[0,0],[0,1]])
tf.roll(rt,1,0)
tf.nn.l2_loss(rf)
tf.linalg.norm(rf)
tf.round(rf)
tf.strings.as_string(rt)
tf.strings.length(rs)
tf.strings.join([rs,rs])
tf.strings.join([rs,'x'],separator='-')
tf.strings.join(['x',rs])
tf.strings.reduce_join(rs,axis=-1)
tf.strings.reduce_join(rs,axis=1,separator=' ')
tf.strings.reduce_join(rs,axis=0)
tf.strings.reduce_join(rs)
tf.strings.reduce_join(rs,axis=1,keepdims=True)
tf.strings.upper(rs)
tf.strings.substr(rs,0,1)
tf.strings.regex_replace(rs,'a','z')
tf.strings.to_hash_bucket_fast(rs,10)
tf.strings.format('{}',rs)
tf.strings.to_number(tf.ragged.constant([['1'],['2','3']]))
tf.strings.split(rs,'b')
tf.strings.ngrams(rs,2)
grad(lambda x: x*x, rf)
grad(lambda x: tf.reduce_sum(x*x), rf)
grad(lambda x: x.values*2, rf)
grad(lambda x: x[0], rf)
grad(lambda x: x.to_tensor(), rf)
grad(lambda x: tf.reduce_max(x,1), rf)
grad(lambda x: tf.concat([x,x],1), rf)
grad(lambda x: tf.constant(1.), rf)
grad(lambda x: x, rt)
grad(lambda x: tf.nn.softmax(x)[0,0], rf)
"""

STRINGS = r"""
S.length(x)
S.length(u)
S.length(u,unit='UTF8_CHAR')
S.length(u,unit='FOO')
S.length(bad,unit='UTF8_CHAR')
S.length([1,2])
S.length('abc')
S.lower('HeLLo É')
S.lower('HeLLo É',encoding='utf-8')
S.upper('HeLLo é ß',encoding='utf-8')
S.upper('HeLLo é')
S.lower('x',encoding='latin')
S.strip(x)
S.strip('\t\n a \x0b\x0c\r')
S.regex_replace(x,'o','0')
S.regex_replace(x,'o','0',replace_global=False)
S.regex_replace('abc','(a)(b)',r'\2\1')
S.regex_replace('abc','(a)(b)',r'\0!')
S.regex_replace('abc','','-')
S.regex_replace('a\nb','.','x')
S.regex_replace('abc','(',r'')
S.regex_replace('aXbX','[[:upper:]]','_')
S.regex_replace('héllo','[^a-z]','_')
S.regex_replace('a.b',r'\.',r'\\')
S.regex_replace('ab12',r'\d+','#')
S.regex_replace('abc','b',r'\5')
S.regex_replace('ab cd',r'\pL','x')
S.regex_replace('ABC','(?i)b','x')
S.regex_replace('aaa','a{2}','b')
S.regex_replace('foo bar','(?P<x>o+)','<\\1>')
S.regex_full_match(x,'foo')
S.regex_full_match(['a','ab','abc'],'a.*')
S.regex_full_match(x,'(')
S.regex_full_match('a\n','a')
S.regex_full_match('a\n','a$')
S.substr(x,0,3)
S.substr(['hello','world'],[1,2],[2,2])
S.substr('hello',-3,2)
S.substr('hello',10,2)
S.substr('hello',5,2)
S.substr('hello',2,100)
S.substr('hello',-10,2)
S.substr('héllo',1,2,unit='UTF8_CHAR')
S.substr('héllo',-4,2,unit='UTF8_CHAR')
S.substr('hello',2,-1)
S.substr([['a','bc']],[[0,1]],[[1,1]])
S.substr('hello',[0,1],[1,2])
S.substr(['hello','worl'],[[0],[1]],[[1],[2]])
S.substr(x,[0,1],[1,1])
S.substr('hello',0.,1)
S.join(['a','b'])
S.join(['a','b'],separator=', ')
S.join([['a','b'],['c','d']])
S.join([['a','b'],'x'])
S.join([['a','b'],['c']])
S.join([])
S.join(['a'],' ')
S.join([tf.constant(['a']),tf.constant([['b']])])
S.reduce_join([['a','b'],['c','d']])
S.reduce_join([['a','b'],['c','d']],0)
S.reduce_join([['a','b'],['c','d']],1,separator='-')
S.reduce_join([['a','b'],['c','d']],[0,1])
S.reduce_join([['a','b'],['c','d']],[1,0])
S.reduce_join([['a','b'],['c','d']],-1,keepdims=True)
S.reduce_join([['a','b'],['c','d']],[])
S.reduce_join('a')
S.reduce_join(tf.constant([],tf.string))
S.reduce_join([['a','b']],5)
S.to_number(['1','2.5','-3e2','inf','nan',' 7 '])
S.to_number('1.5',out_type=tf.int32)
S.to_number('15',out_type=tf.int32)
S.to_number('0x1F')
S.to_number('0x1F',tf.int32)
S.to_number('99999999999',tf.int32)
S.to_number('99999999999',tf.int64)
S.to_number('abc')
S.to_number('')
S.to_number('1_000')
S.to_number('+5',tf.int32)
S.to_number('1e400',tf.float64)
S.to_number('1',tf.uint8)
S.to_number('5',tf.uint32)
S.to_number('-5',tf.uint64)
S.to_number(['1'],'float64')
S.to_hash_bucket_fast(x,100)
S.to_hash_bucket_fast('hello',2**62)
S.to_hash_bucket_fast('hello',0)
S.to_hash_bucket(x,100)
S.to_hash_bucket('hello',2**62)
S.to_hash_bucket_strong(x,100,[1,2])
S.to_hash_bucket_strong('hello',2**62,[1,2])
S.to_hash_bucket_strong('hello',3,[1])
S.to_hash_bucket_strong('hello',2**62,[2**63-1,5])
S.format('a {} b {}',[tf.constant(1),tf.constant([1.5,2])])
S.format('{}',tf.constant(['a','b']))
S.format('{}',tf.range(10))
S.format('{}',tf.range(10),summarize=-1)
S.format('{}',tf.range(10),summarize=2)
S.format('x{}x',tf.constant([[1,2],[3,4]]))
S.format('no')
S.format('{} {}',tf.constant(1))
S.format('{}',tf.reshape(tf.range(27),[3,3,3]),summarize=1)
S.format('{}',(tf.constant(True),))
S.split(x)
S.split('a b c')
S.split('a,b,,c',',')
S.split('a,b,,c',',',maxsplit=1)
S.split('a  b c',maxsplit=1)
S.split('a  b c',sep='')
S.split('a<>b<>c',sep='<>')
S.split([['a b','c'],['d e f','']])
S.split([['a b','c'],['d e f','']]).shape
S.split('')
S.split('',',')
S.split(tf.constant([],tf.string))
S.split(5)
S.split('a b',sep=None,maxsplit=0)
S.split('a\xa0b\u3000c')
S.split('a\tb\nc\x0bd')
S.split(b'a\x00b','\x00')
S.bytes_split('hello')
S.bytes_split(['hello','é',''])
S.bytes_split([['ab','c']])
S.unicode_split('héllo','UTF-8')
S.unicode_split(u,'UTF-8')
S.unicode_split(bad,'UTF-8')
S.unicode_split(bad,'UTF-8',errors='ignore')
S.unicode_split(bad,'UTF-8',errors='strict')
S.unicode_split([['a','bc']],'UTF-8')
S.unicode_split_with_offsets(u,'UTF-8')
S.unicode_split_with_offsets('héllo','UTF-8')
S.unicode_decode(u,'UTF-8')
S.unicode_decode('héllo','UTF-8')
S.unicode_decode(bad,'UTF-8')
S.unicode_decode(bad,'UTF-8',errors='ignore')
S.unicode_decode(bad,'UTF-8',errors='replace',replacement_char=65)
S.unicode_decode(['a\x01b'],'UTF-8',replace_control_characters=True)
S.unicode_decode('x','UTF-7')
S.unicode_decode('x','FOO')
S.unicode_decode([b'\x00a\x00b'],'UTF-16-BE')
S.unicode_decode([b'\x00\x00\x00a'],'UTF-32-BE')
S.unicode_decode([b'h\xe9'],'ISO-8859-1')
S.unicode_decode([b'h\xe9'],'US-ASCII')
S.unicode_decode_with_offsets(u,'UTF-8')
S.unicode_encode([104,233],'UTF-8')
S.unicode_encode([104,233],'UTF-16-BE')
S.unicode_encode([104,233],'UTF-32-BE')
S.unicode_encode([[104,233],[65,66]],'UTF-8')
S.unicode_encode(tf.ragged.constant([[104,233],[65]]),'UTF-8')
S.unicode_encode([55296],'UTF-8')
S.unicode_encode([55296],'UTF-8',errors='ignore')
S.unicode_encode([55296],'UTF-8',errors='strict')
S.unicode_encode([1114112],'UTF-8')
S.unicode_encode([-1,65],'UTF-8')
S.unicode_encode(5,'UTF-8')
S.unicode_encode([104],'latin1')
S.unicode_transcode(u,'UTF-8','UTF-16-BE')
S.unicode_transcode(bad,'UTF-8','UTF-8')
S.unicode_transcode(bad,'UTF-8','UTF-8',errors='ignore')
S.unicode_transcode(bad,'UTF-8','UTF-8',errors='strict')
S.unicode_transcode(bad,'UTF-8','UTF-8',replacement_char=32)
S.unicode_transcode('a\x01b','UTF-8','UTF-8',replace_control_characters=True)
S.unicode_transcode(b'h\xe9','ISO-8859-1','UTF-8')
S.unicode_transcode(b'h\x80','windows-1252','UTF-8')
S.unicode_script([ord('a'),ord('1'),0x65e5,0x3042,0x430,0x1F600,233,0x5d0,-5,1114112])
S.unicode_script([0x391,0x627,0xe01,0xac00,32,0x30a2,0x300])
S.ngrams(['a','b','c'],2)
S.ngrams(['a','b','c'],[1,2])
S.ngrams([['a','b','c']],2)
S.ngrams(tf.ragged.constant([['a','b','c'],['d']]),2)
S.ngrams(['a'],3)
S.ngrams(['a'],3,preserve_short_sequences=True)
S.ngrams(['a','b'],3,pad_values='_')
S.ngrams(['a','b'],3,pad_values=('<','>'))
S.ngrams(['a','b'],3,pad_values='_',padding_width=1)
S.ngrams(['a','b','c'],2,separator='+')
S.ngrams(['a','b'],0)
S.ngrams('a',2)
S.ngrams([1,2],2)
S.unsorted_segment_join(['a','b','c'],[0,1,0],2)
S.unsorted_segment_join(['a','b','c'],[0,1,0],3,separator=':')
S.unsorted_segment_join([['a','b'],['c','d']],[0,0],1)
S.unsorted_segment_join([['a','b'],['c','d']],[[0,1],[1,0]],2)
S.unsorted_segment_join(['a'],[-1],1)
S.unsorted_segment_join(['a'],[3],1)
S.as_string([1.5])
tf.compat.v1.string_split(['a b','c'])
tf.compat.v1.string_split(['a,b','c'],',')
tf.compat.v1.string_split(['a,b;c','c'],',;')
tf.compat.v1.string_split(['a,,b'],',',skip_empty=False)
tf.compat.v1.string_split(['abc'],'')
tf.compat.v1.strings.split(['a b','c'])
tf.compat.v1.strings.split(['a b','c'],result_type='RaggedTensor')
tf.compat.v1.strings.length('abc')
tf.compat.v1.strings.substr('abc',0,1)
tf.compat.v1.string_to_hash_bucket('abc',10)
tf.compat.v1.string_to_number('1.5')
tf.compat.v1.reduce_join([['a','b']],1)
tf.compat.v1.reduce_join([['a','b']],1,keep_dims=True)
tf.compat.v1.substr('hello',1,2)
tf.fingerprint(['a','b'])
tf.raw_ops.StringLower(input='A',encoding='')
tf.add('a','b')
tf.constant(['a','b'])+'x'
tf.constant('a')+tf.constant('b')
"""

# Patterns, and texts in which they are searched.
PATTERNS = [
    (r"(?i)A(?-i)b", "aB ab"),
    (r"a(?i)b|c", "aB C"),
    (r"(?m)^a$", "a\na"),
    (r"a$", "a\n"),
    (r"[[:^alpha:]]", "a"),
    (r"[^[:digit:]]", "a1"),
    (r"a++", "aa"),
    (r"(?=a)", "a"),
    (r"(a)\1", "aa"),
    (r"\Qa.b\E", "a.b axb"),
    (r"\x{e9}", "é"),
    (r"\p{Lu}", "aÉ"),
    (r"\PL", "a1"),
    (r"a*", "baac"),
    (r"[]a]", "]a"),
    (r"[a[]", "["),
    (r"(?P<n>a)(?<m>b)", "ab"),
    (r"\d", "1٢"),
    (r"(?s).", "\n"),
]


def names(tf: Any) -> dict[str, Any]:
    """What the expressions are about."""
    constant = tf.ragged.constant
    rt = constant([[3, 1, 4], [], [1, 5]])
    rf = constant([[3.0, 1.0, 4.0], [], [1.0, 5.0]])

    def grad(function: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return {
        "R": tf.RaggedTensor,
        "S": tf.strings,
        "bad": tf.constant([b"a\xffb", b"\xe6\x97", b"ok"]),
        "grad": grad,
        "np": np,
        "pickle": pickle,
        "r2d": constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1),
        "r2f": constant([[[1.0, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1),
        "r3": constant([[[1, 2], [3]], [], [[4, 5, 6]]]),
        "r3f": constant([[[1.0, 2], [3]], [], [[4, 5, 6]]]),
        "rb": constant([[True, False, True], [], [False, True]]),
        "rc": tf.cast(rf, tf.complex64),
        "rf": rf,
        "rs": constant([["a", "bb"], [], ["ccc"]]),
        "rt": rt,
        "ru": tf.RaggedTensor.from_uniform_row_length(rt, 3),
        "tf": tf,
        "u": tf.constant(["héllo", "日本", "😀a", "\xff"]),
        "x": tf.constant(["hello world", "foo", "", " a  b "]),
    }


def answer(expression: str, known: dict[str, Any]) -> Any:
    """The value of an expression as JSON can hold it; of an error its class."""
    try:
        return described(eval(expression, known))
    except Exception as error:
        return ["error", type(error).__name__]


def described(value: Any) -> Any:
    if hasattr(value, "row_splits") and hasattr(value, "to_list"):
        shape = [None if size is None else int(size) for size in value.shape.as_list()]
        splits = [each.numpy().tolist() for each in value.nested_row_splits]
        return ["ragged", described(value.flat_values), shape, splits, repr(value.row_splits.dtype)]
    if hasattr(value, "dense_shape"):
        return [
            "sparse",
            *(described(each) for each in (value.indices, value.values, value.dense_shape)),
        ]
    if hasattr(value, "numpy") and hasattr(value, "dtype"):
        return [
            "tensor",
            repr(value.dtype),
            value.shape.as_list(),
            plain(value.numpy().ravel().tolist() if value.shape.rank else [value.numpy()]),
        ]
    if isinstance(value, np.ndarray):
        return [
            "array",
            value.dtype.name,
            list(value.shape),
            [described(each) for each in value.ravel()],
        ]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(described(each) for each in value)]
    return plain([value])[0]


def plain(values: list[Any]) -> list[Any]:
    """Elements as JSON can hold them."""
    return [
        each.decode("latin-1")
        if isinstance(each, bytes)
        else [float(each.real), float(each.imag)]
        if isinstance(each, (complex, np.complexfloating))
        else each.item()
        if isinstance(each, np.generic)
        else each
        if isinstance(each, (int, float, str, type(None)))
        else repr(each)
        for each in values
    ]
