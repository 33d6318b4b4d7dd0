def in_an_endless_loop(queue, context):
    try:
        while True:
            item = queue.get()
            if item is not None:
                item.run()
                continue
            if context.closed:
                queue.put(None)
                return
            del item
    except OSError:
        report()
    finally:
        context.finish()
