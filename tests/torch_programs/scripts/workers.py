"""Workers of a data loader, forked and spawned."""

import torch


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, number):
        return torch.full((2,), float(number))


@torch.compile(backend="eager")
def total(x):
    return x.sum()


if __name__ == "__main__":
    for method in ("fork", "spawn"):
        loader = torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=1, multiprocessing_context=method)
        print(method, [total(batch).item() for batch in loader])
