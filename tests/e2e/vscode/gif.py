#!/usr/bin/env python3
"""Joins the frames of record.mjs into one animated picture (needs Pillow):  gif.py FRAMES OUT.gif"""
import pathlib
import sys

from PIL import Image

files = sorted(pathlib.Path(sys.argv[1]).glob("*.png"))
frames = [Image.open(file).convert("RGB") for file in files]
# One palette for all frames, so that unchanged parts cost nothing in the next frame.
wide = Image.new("RGB", (frames[0].width, frames[0].height * len(frames)))
for index, frame in enumerate(frames):
    wide.paste(frame, (0, index * frame.height))
palette = wide.quantize(colors=128, dither=Image.Dither.NONE)
joined = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
joined[0].save(sys.argv[2], save_all=True, append_images=joined[1:], optimize=True, loop=0,
               duration=[int(file.stem.split("-")[1]) for file in files])
