"""Short ways to describe secondary indexes: keys are written `name:type`, several of one role with a comma."""


def key_parts(text, role):
    return [(*part.strip().split(":"), role) for part in text.split(",")] if text else []


class Index:
    """One index of a CreateTable request. `projection` is ALL, KEYS_ONLY or the list of included attributes."""

    def __init__(self, name, hash_key, range_key=None, projection="ALL"):
        self.name = name
        self.keys = key_parts(hash_key, "HASH") + key_parts(range_key, "RANGE")
        self.projection = projection

    def definition(self):
        projection = {"ProjectionType": self.projection} if isinstance(self.projection, str) else {
            "ProjectionType": "INCLUDE", "NonKeyAttributes": self.projection}
        return {"IndexName": self.name, "Projection": projection,
                "KeySchema": [{"AttributeName": name, "KeyType": role} for name, _, role in self.keys]}


def members(hash_key, range_key=None, gsi=(), lsi=()):
    """The CreateTable members that indexes need; give them to tables.definition or make_table."""
    used = key_parts(hash_key, "HASH") + key_parts(range_key, "RANGE")
    for index in (*gsi, *lsi):
        used += index.keys
    types = {name: kind for name, kind, _ in used}
    request = {"AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]}
    if gsi:
        request["GlobalSecondaryIndexes"] = [index.definition() for index in gsi]
    if lsi:
        request["LocalSecondaryIndexes"] = [index.definition() for index in lsi]
    return request
