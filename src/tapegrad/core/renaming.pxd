cdef object named(object results, object found)
