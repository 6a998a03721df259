"""A plain in-memory table with indexes: what each index holds and what each write costs, written down independently.

Items are in wire form. Only S and N attributes are known; numbers are compared by value.
"""

from decimal import Decimal


def ordering(value):
    """A Python value that sorts as DynamoDB sorts keys."""
    return Decimal(value["N"]) if "N" in value else value["S"].encode()


def number_size(text):
    """One byte, and one for each pair of digits between the first and the last that is not zero; one more for a minus."""
    sign, digits, exponent = Decimal(text).as_tuple()
    if not any(digits):
        return 1
    digits = list(digits) + [0] * (exponent % 2)
    digits = [0] * (len(digits) % 2) + digits
    pairs = [10 * high + low for high, low in zip(digits[::2], digits[1::2])]
    while pairs[0] == 0:
        pairs.pop(0)
    while pairs[-1] == 0:
        pairs.pop()
    return 1 + len(pairs) + sign


def size(item):
    return sum(len(name.encode()) + (number_size(value["N"]) if "N" in value else len(value["S"].encode())) for name, value in item.items())


def write_units(item):
    return max(1, -(-size(item) // 1024)) if item else 0


class IndexModel:
    """REQUIRES: the table's key is pk and sk. `indexes` are harness.indexes.Index."""

    def __init__(self, indexes):
        self.indexes = {index.name: index for index in indexes}
        self.items = {}

    @staticmethod
    def key(item):
        return item["pk"]["S"], item["sk"]["S"]

    def get(self, item):
        return self.items.get(self.key(item))

    def set(self, key, item):
        """Stores the item, or removes what is there if it is None."""
        if item is None:
            self.items.pop(key, None)
        else:
            self.items[key] = item

    def entry(self, name, item):
        """The item as the index holds it; None if it is not in it. The table itself is the index None."""
        if item is None or name is None:
            return item
        index = self.indexes[name]
        keys = [attribute for attribute, _, _ in index.keys]
        if any(attribute not in item for attribute in keys):
            return None
        if index.projection == "ALL":
            return item
        kept = {"pk", "sk", *keys, *(index.projection if isinstance(index.projection, list) else [])}
        return {attribute: value for attribute, value in item.items() if attribute in kept}

    def entries(self, name):
        return [entry for entry in (self.entry(name, item) for item in self.items.values()) if entry is not None]

    def charge(self, old, new, charges=None, factor=1):
        """Adds to {index or None for the table: units} what a write from `old` to `new` costs, and returns it.

        `factor` is 2 in transactions: it applies to the table, an index costs the same there.
        """
        charges = {} if charges is None else charges
        charges[None] = charges.get(None, 0) + factor * max(1, write_units(old), write_units(new))
        for name, index in self.indexes.items():
            before, after = self.entry(name, old), self.entry(name, new)
            if before == after:
                continue
            units = (write_units(before), write_units(after))
            moved = before is None or after is None or any(before[attribute] != after[attribute] for attribute, _, _ in index.keys)
            charges[name] = charges.get(name, 0) + (sum(units) if moved else max(units))
        return charges
