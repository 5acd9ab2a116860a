"""Several runs side by side: samples, statistics, one table and one plain sentence."""
