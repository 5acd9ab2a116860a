"""Several runs beside each other: samples, statistics, one table and one plain sentence."""
