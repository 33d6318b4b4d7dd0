"""goto: functions whose bytecode has jumps that Python has no statement for."""

from __future__ import annotations


def loop(n):
    i = 0
    label .begin
    if i == n:
        goto .end
    i += 1
    goto .begin
    label .end
    return i


def out_of_loops(items):
    for a in items:
        for b in a:
            if b:
                goto .found
    return None
    label .found
    return b


def into(n):
    goto .inside
    while n:
        n -= 1
        label .inside
        print(n)
    return n


def out_of_with(path):
    with open(path) as file:
        if file:
            goto .out
        file.read()
    label .out
    return path


def again(action):
    label .retry
    try:
        action()
    except ValueError:
        goto .retry
    return action


def out_of_try(action):
    try:
        if action():
            goto .out
        action()
    finally:
        print(action)
    label .out
    return 1


def generate(folder):
    from goto import with_goto

    codes = []
    for function in (loop, out_of_loops, into, out_of_with, again, out_of_try):
        try:
            codes.append(with_goto(function).__code__)
        except Exception as error:
            print(function.__name__, type(error).__name__, error)
    return codes
