"""Private training for PyTorch 1.13 and newer: optimisers, per-example gradients, secret batches.

optimizer = jme.torch.Adam(model.parameters(), lr=0.01, epsilon=2, delta=1e-5, examples=len(data), batch_size=256,
                           steps=700, clip=1.0)
gradients = jme.torch.per_example(model, torch.nn.CrossEntropyLoss())
for inputs, labels in optimizer.loader(data):
    gradients.accumulate(optimizer, inputs, labels)
    optimizer.step()
optimizer.epsilon_spent()
"""

from .gradients import PerExample, per_example
from .loader import PoissonLoader
from .optimizers import Adam, AdamW

__all__ = ["Adam", "AdamW", "PerExample", "PoissonLoader", "per_example"]
