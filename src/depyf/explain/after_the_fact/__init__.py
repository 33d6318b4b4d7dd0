"""What is compiled now, without a recording: the model built from the cache entries that Dynamo keeps."""
