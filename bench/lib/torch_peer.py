"""A network trained by PyTorch, on the rows of a table: seconds of its step loop.

torch_peer.py FILE ROWS COLUMNS HIDDEN OUTPUTS BATCH EPOCHS

FILE is COPY ... (FORMAT binary) of an integer label and COLUMNS columns of
float8.  HIDDEN is a list such as 512,512 or nothing.  One thread and float32, as
osml is told; the rows lie in memory, standardised and shuffled, before the clock
starts, and batches are slices of them.
"""
import sys
import time

import numpy
import torch

path, rows, columns, hidden, outputs, batch, epochs = sys.argv[1:8]
rows, columns, outputs = int(rows), int(columns), int(outputs)
batch, epochs = int(batch), int(epochs)
record = numpy.dtype([("n", ">i2"), ("y_bytes", ">i4"), ("y", ">i4")] +
                     [f for c in range(columns)
                      for f in ((f"l{c}", ">i4"), (f"v{c}", ">f8"))])
data = numpy.fromfile(path, dtype=record, count=rows, offset=19)
x = numpy.empty((rows, columns), dtype=numpy.float32)
for c in range(columns):
    values = data[f"v{c}"].astype(numpy.float64)
    x[:, c] = (values - values.mean()) / (values.std() or 1)
torch.set_num_threads(1)
torch.manual_seed(0)
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
print(time.perf_counter() - started)
