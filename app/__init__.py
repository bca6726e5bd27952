"""What a person touches: the command line, the web server with its page, and the audit report.

Commands and pages are thin: they hold neither rules (`fanlens.scoring`) nor vision
(`fanlens.vision`), they ask for what they show.
"""
