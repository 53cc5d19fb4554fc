-- What became of every item, per project and minute of receipt.
CREATE delivery_ledger;
