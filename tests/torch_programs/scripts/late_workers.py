"""Workers of a data loader that compile, forked before the program itself has anything compiled."""

import torch


def augment(x):
    y = x.sin()
    print(end="")
    return y + 1


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, number):
        return torch.compile(augment, backend="eager")(torch.full((2,), float(number)))


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=2, multiprocessing_context="fork")
    for batch in loader:
        print(batch.sum(1).tolist())
