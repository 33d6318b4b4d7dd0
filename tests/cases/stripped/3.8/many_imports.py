import abc
import ast
import bdb
import bz2
import cgi
import cmd
import code
import csv
import copy
import dis
import gc
import glob
import gzip
import hmac
import html
import io
import json
import lzma
import math
import mmap
import ntpath
import opcode
import os
import pdb
import pickle
import pty
import pwd
import re
import sched
import shelve
import shlex
import shutil
import site
import smtplib
import stat


def folded(one=(), two=(), three=False):
    return one, two, three
