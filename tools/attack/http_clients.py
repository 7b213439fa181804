def run(campaign): pass
