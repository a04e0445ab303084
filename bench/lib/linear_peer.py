"""A linear model of the rows of a table, trained as a script would do it.

linear_peer.py PEER DATABASE TABLE EPOCHS BATCH

TABLE has columns of float8, the label first.  PEER is torch (binary COPY, NumPy, a loop
of AdamW over slices of shuffled rows), sklearn (CSV by COPY, pandas, SGDRegressor, which
steps row by row) or lstsq (CSV by COPY, pandas, LinearRegression).  Float64, one thread.

Prints seconds from the start to rows in memory, and from there to the trained model;
imports are not counted.
"""
import io
import subprocess
import sys
import time

peer, database, table, epochs, batch = sys.argv[1:6]
epochs, batch = int(epochs), int(batch)
if peer == "torch":
    import numpy
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
else:
    import pandas
    from sklearn.linear_model import LinearRegression, SGDRegressor
    from sklearn.preprocessing import StandardScaler


def copy(form):
    return subprocess.run(
        ["psql", "-XAtq", "-d", database, "-c", f'COPY "{table}" TO STDOUT ({form})'],
        check=True, stdout=subprocess.PIPE).stdout


def read_binary():
    copied = copy("FORMAT binary")
    columns = int.from_bytes(copied[19:21], "big")
    record = numpy.dtype([("n", ">i2")] + [f for c in range(columns)
                         for f in ((f"l{c}", ">i4"), (f"v{c}", ">f8"))])
    # a header of 19 bytes, a trailer of 2
    rows = (len(copied) - 21) // record.itemsize
    data = numpy.frombuffer(copied, dtype=record, count=rows, offset=19)
    return numpy.stack([data[f"v{c}"].astype(numpy.float64) for c in range(columns)], axis=1)


def read_csv():
    return pandas.read_csv(io.BytesIO(copy("FORMAT csv, HEADER"))).to_numpy()


def train_torch(data):
    data = (data - data.mean(axis=0)) / data.std(axis=0)
    data = torch.from_numpy(data)[torch.randperm(len(data))].contiguous()
    x, y = data[:, 1:].contiguous(), data[:, 0].contiguous()
    model = torch.nn.Linear(x.shape[1], 1, dtype=torch.float64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
    for _ in range(epochs):
        for first in range(0, len(x), batch):
            loss = torch.nn.functional.mse_loss(model(x[first:first + batch])[:, 0],
                                                y[first:first + batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def train_sklearn(data):
    data = StandardScaler().fit_transform(data)
    SGDRegressor(penalty=None, max_iter=epochs, tol=None, random_state=0).fit(
        data[:, 1:], data[:, 0])


def train_lstsq(data):
    LinearRegression().fit(data[:, 1:], data[:, 0])


started = time.perf_counter()
rows = read_binary() if peer == "torch" else read_csv()
read = time.perf_counter()
{"torch": train_torch, "sklearn": train_sklearn, "lstsq": train_lstsq}[peer](rows)
print(read - started, time.perf_counter() - read)
