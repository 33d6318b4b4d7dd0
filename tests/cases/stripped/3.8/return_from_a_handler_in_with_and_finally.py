"""Without lines, what is behind the ``finally`` body is the same for the return and the end."""


def check_event_count(self, event, func, args, expected, callback_raises=None):
    try:
        counter = Counter(callback_raises)
        with self.Scope(self.codelike, event_value):
            try:
                func(*args)
            except ValueError as e:
                self.assertEqual(str(e), str(expected))
                return
            else:
                self.assertEqual(counter.count, expected)

        prev = sys.monitoring.register_callback(TEST_TOOL, event, None)
        with self.Scope(self.codelike, event_value):
            counter.count = 0
    finally:
        sys.monitoring.set_events(TEST_TOOL, 0)
