toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), {{bucketLow}}), {{bucketHigh}}) - {{bucketLow}})
