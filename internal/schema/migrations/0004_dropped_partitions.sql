-- What a disk budget has dropped is told where the data was.
CREATE dropped_partitions;
