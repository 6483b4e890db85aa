print("keeputil")
