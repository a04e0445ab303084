"""A network trained by PyTorch on the rows of a table, as a script would do it.

torch_peer.py DATABASE TABLE COLUMNS HIDDEN OUTPUTS BATCH EPOCHS

TABLE has an integer label, first, and COLUMNS columns of float8.  HIDDEN is a list
such as 512,512 or nothing.  Float32 and THREADS threads, as osml is told.

Prints seconds of the step loop, over rows that lie shuffled in memory and batches
that are slices of them, and seconds of everything after the imports: the rows come
by psql as binary COPY, are standardised and shuffled.
"""
import os
import subprocess
import sys
import time

import numpy
import torch

database, table, columns, hidden, outputs, batch, epochs = sys.argv[1:8]
columns, outputs = int(columns), int(outputs)
batch, epochs = int(batch), int(epochs)
torch.set_num_threads(int(os.environ.get("THREADS", "1")))
torch.manual_seed(0)
began = time.perf_counter()
copied = subprocess.run(
    ["psql", "-XAtq", "-d", database, "-c", f'COPY "{table}" TO STDOUT (FORMAT binary)'],
    check=True, stdout=subprocess.PIPE).stdout
record = numpy.dtype([("n", ">i2"), ("y_bytes", ">i4"), ("y", ">i4")] +
                     [f for c in range(columns)
                      for f in ((f"l{c}", ">i4"), (f"v{c}", ">f8"))])
# a header of 19 bytes, a trailer of 2
rows = (len(copied) - 21) // record.itemsize
data = numpy.frombuffer(copied, dtype=record, count=rows, offset=19)
x = numpy.empty((rows, columns), dtype=numpy.float32)
for c in range(columns):
    values = data[f"v{c}"].astype(numpy.float64)
    x[:, c] = (values - values.mean()) / (values.std() or 1)
order = torch.randperm(rows)
x = torch.from_numpy(x)[order].contiguous()
y = torch.from_numpy(data["y"].astype(numpy.int64))[order].contiguous()
if outputs == 1:
    y = y.to(torch.float32)
    y = (y - y.mean()) / y.std(unbiased=False)
layers, width = [], columns
for neurons in [int(n) for n in hidden.split(",") if n]:
    layers += [torch.nn.Linear(width, neurons), torch.nn.ReLU()]
    width = neurons
model = torch.nn.Sequential(*layers, torch.nn.Linear(width, outputs))
loss_of = torch.nn.MSELoss() if outputs == 1 else torch.nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.001)
started = time.perf_counter()
for _ in range(epochs):
    for first in range(0, rows, batch):
        z = model(x[first:first + batch])
        loss = loss_of(z[:, 0] if outputs == 1 else z, y[first:first + batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
ended = time.perf_counter()
print(ended - started, ended - began)
