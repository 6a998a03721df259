"""The part of CBOR (RFC 8949) that DAX speaks, for raw DAX connections and for spoilt messages."""

import struct

BREAK = object()


class Tag:
    def __init__(self, number, value):
        self.number, self.value = number, value

    def __eq__(self, other):
        return isinstance(other, Tag) and (self.number, self.value) == (other.number, other.value)

    def __repr__(self):
        return f"Tag({self.number}, {self.value!r})"


class NeedMore(Exception):
    """The value goes on behind the bytes that are there."""


def head(major, number):
    for limit, code, form in ((24, None, None), (1 << 8, 24, ">B"), (1 << 16, 25, ">H"), (1 << 32, 26, ">I"), (1 << 64, 27, ">Q")):
        if number < limit:
            return bytes([major << 5 | number]) if code is None else bytes([major << 5 | code]) + struct.pack(form, number)
    raise OverflowError(number)


def encode(value):
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", True: b"\xf5", False: b"\xf4"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, (list, tuple)):
        return head(4, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(encode(key) + encode(each) for key, each in value.items())
    if isinstance(value, Tag):
        return head(6, value.number) + encode(value.value)
    raise TypeError(type(value))


class Reader:
    """Takes values off the front of `data`; NeedMore leaves the position where it was."""

    def __init__(self, data=b""):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise NeedMore
        self.at += count
        return self.data[self.at - count:self.at]

    def is_at_end(self):
        return self.at == len(self.data)

    def value(self):
        start = self.at
        try:
            return self.read()
        except NeedMore:
            self.at = start
            raise

    def read(self):
        first = self.take(1)[0]
        major, low = first >> 5, first & 31
        if major == 7:
            return self.simple(low)
        if low == 31:
            return self.indefinite(major)
        number = low if low < 24 else int.from_bytes(self.take(1 << (low - 24)), "big")
        if major in (0, 1):
            return number if major == 0 else -1 - number
        if major in (2, 3):
            text = self.take(number)
            return text if major == 2 else text.decode()
        if major == 4:
            return [self.read() for _ in range(number)]
        if major == 5:
            return {self.read(): self.read() for _ in range(number)}
        return Tag(number, self.read())

    def simple(self, low):
        if low == 31:
            return BREAK
        if low in (25, 26, 27):
            width, form = {25: (2, ">e"), 26: (4, ">f"), 27: (8, ">d")}[low]
            return struct.unpack(form, self.take(width))[0]
        return {20: False, 21: True, 22: None, 23: None}[low]

    def indefinite(self, major):
        parts = []
        while (part := self.read()) is not BREAK:
            parts.append(part)
        if major in (2, 3):
            return (b"" if major == 2 else "").join(parts)
        return parts if major == 4 else dict(zip(parts[::2], parts[1::2]))
