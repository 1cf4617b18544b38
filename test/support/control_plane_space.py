"""Random scenarios of `simulate` in which a binding meets an API server: one cause behind a slow
binding call, two, or none, beside neighbours that are slow without harm. A scenario is a function
of its kind and seed alone."""
import math
import random

MOST_PODS = 5000
CAUSES = ("apiserver.webhook", "etcd.disk", "apiserver.flowcontrol", "apiserver.cpu",
          "apiserver.audit", "bind.network", "refusal")
QUIET = ("plain", "innocent-webhook", "innocent-audit", "busy-machine", "slow-filter",
         "slow-extender", "double-load")
WORDS = ("quota", "labels", "image", "cost", "mesh", "vault", "policy", "scan", "limits", "net")


def log_uniform(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def number(x):
    return float(f"{x:.4g}")


def law(r, median):
    """A distribution about `median` seconds, in one of the spellings that a scenario may use."""
    m = number(median)
    return r.choice([f"ln({m},0.4)", f"ln({m},0.4)", f"u({0.7 * m:.5g},{1.3 * m:.5g})", f"{m}", m])


def slowed(r, base, median):
    """All of it slow, or a part of it."""
    part = 1 if r.random() < 0.4 else log_uniform(r, 0.03, 0.6)
    shape = r.choice([f"ln({number(median)},0.4)", f"u({0.6 * median:.4g},{1.4 * median:.4g})"])
    return shape if part == 1 else f"{1 - part:.4f}*{base}+{part:.4f}*{shape}"


class Drawn:
    """A scenario while it is drawn: what holds always, what holds in the incident, the truth."""

    def __init__(self, kind, seed):
        self.r = r = random.Random(f"{kind}-{seed}")
        self.kind, self.seed = kind, seed
        self.before, self.length = r.choice([300, 420, 600]), r.choice([240, 300, 420, 600])
        self.after = r.choice([0, 60, 180])
        self.duration = self.before + self.length + self.after
        self.rate = number(min(log_uniform(r, 3, 60), MOST_PODS / self.duration))
        self.minor = r.randint(24, 36)
        self.period = r.choice([5, 10, 15, 15, 30, 60])
        self.server, self.fault, self.causes, self.innocent = {}, {}, [], []
        self.costs, self.fault_costs, self.extenders = {}, {}, []
        self.names = r.sample(WORDS, len(WORDS))
        self.network, self.new_webhook, self.during = None, None, {}
        self.busier = None  # the flow schema that sends more requests from the onset on
        self.draw_server()

    def name(self):
        return self.names.pop() + self.r.choice([".policy.example", ".example.com", ".k8s.example"])

    def draw_server(self):
        r, server = self.r, self.server
        self.costs["bind_api"] = f"ln({number(log_uniform(r, .0008, .005))},0.5)"
        self.hooks = [{"name": self.name(), "resource": "pods/binding",
                       "cost": f"ln({number(log_uniform(r, .002, .012))},0.4)"}
                      for _ in range(r.choice([0, 1, 1, 2]))]
        self.others = [{"name": self.name(), "resource": r.choice(["pods", "pods", "nodes"]),
                        "cost": f"ln({number(log_uniform(r, .002, .02))},0.4)"}
                       for _ in range(r.choice([0, 1, 1, 2]))]
        for hook in self.hooks + self.others:
            if r.random() < .3:
                hook["policy"] = r.choice(["Fail", "Ignore"])
        if r.random() < .3:
            server["instances"] = r.choice([1, 2, 3])
        server["webhooks"] = self.hooks + self.others
        self.fsync = f"ln({number(log_uniform(r, .001, .004))},0.4)"
        server["etcd"] = {"fsync": self.fsync, "network": number(log_uniform(r, .0002, .002))}
        if r.random() < .5:
            server["flowcontrol"] = {"seats": r.choice([8, 16, 40]),
                                     "neighbours_rate": number(log_uniform(r, 2, 20)),
                                     "neighbours_cost": law(r, .02)}
        if r.random() < .5:
            server["audit"] = {"cost": law(r, .001), "blocking": r.random() < .5}
        if r.random() < .6:
            server["cpu"] = {"cores": r.choice([2, 4, 8]), "request_cost": .0005,
                             "neighbours_rate": number(log_uniform(r, 1, 8)),
                             "neighbours_cost": law(r, .02)}
        if r.random() < .5:
            self.network = law(r, .0008)

    def hook_in_fault(self, name, **more):
        self.fault.setdefault("webhooks", []).append({"name": name, **more})

    # Each cause below is drawn so that it is felt.

    def webhook(self):
        r = self.r
        median = log_uniform(r, .15, 2)
        if self.hooks and r.random() < .8:
            hook = r.choice(self.hooks)
            cost = slowed(r, hook["cost"], median)
            self.hook_in_fault(hook["name"], cost=cost)
            name = hook["name"]
        else:
            name = self.new_webhook = self.name()
            self.hook_in_fault(name, resource="pods/binding", cost=slowed(r, "ln(0.004,0.4)", median))
        self.causes.append(("apiserver.webhook", name))

    def refusal(self):
        if not self.hooks:
            self.hooks.append({"name": self.name(), "resource": "pods/binding", "cost": "ln(0.004,0.4)"})
            self.server["webhooks"] = self.hooks + self.others
        name = self.r.choice(self.hooks)["name"]
        self.hook_in_fault(name, fail=number(self.r.uniform(.15, .7)), policy="Fail")
        self.causes.append(("refusal", name))

    def disk(self):
        r = self.r
        even = r.random() < .4
        self.fault["etcd"] = {"fsync": law(r, log_uniform(r, .08, .3)) if even else
                              f"0.94*{self.fsync}+0.06*u(0.4,{number(r.uniform(.8, 1.6))})"}
        self.causes.append(("etcd.disk", ""))

    def flowcontrol(self):
        r = self.r
        seats, cost = r.choice([2, 4, 8]), log_uniform(r, .1, 1)
        # Ours keep a seat for what a binding takes, too.
        rate = max(.5, (seats * r.uniform(.95, 1.3) - self.rate * .02) / cost)
        self.server["flowcontrol"] = {"seats": seats, "neighbours_rate": number(rate / 4),
                                      "neighbours_cost": f"ln({number(cost * .3)},0.5)"}
        self.fault["flowcontrol"] = {"neighbours_rate": number(rate), "neighbours_cost": number(cost)}
        self.busier = "kube-controller-manager"
        self.causes.append(("apiserver.flowcontrol", "workload-high"))

    def cpu(self):
        r = self.r
        cores, cost = r.choice([1, 2, 4]), log_uniform(r, .1, 1)
        self.server["cpu"] = {"cores": cores, "request_cost": .001, "neighbours_rate": .2,
                              "neighbours_cost": number(cost)}
        self.fault["cpu"] = {"neighbours_rate": number(cores * r.uniform(1.1, 2) / cost)}
        self.causes.append(("apiserver.cpu", ""))

    def audit(self):
        self.server["audit"] = {"cost": law(self.r, .001), "blocking": True}
        self.fault["audit"] = {"cost": slowed(self.r, "ln(0.001,0.4)", log_uniform(self.r, .15, 1))}
        self.causes.append(("apiserver.audit", ""))

    def way(self):
        self.fault["network"] = slowed(self.r, "ln(0.001,0.4)", log_uniform(self.r, .15, 1))
        self.causes.append(("bind.network", ""))

    def innocent_webhook(self):
        if not self.others:
            self.others.append({"name": self.name(), "resource": "pods", "cost": "ln(0.005,0.4)"})
            self.server["webhooks"] = self.hooks + self.others
        name = self.r.choice(self.others)["name"]
        self.hook_in_fault(name, cost=law(self.r, log_uniform(self.r, .1, 2)))
        self.innocent.append(name)

    def quiet(self, what):
        r = self.r
        if what == "innocent-webhook":
            self.innocent_webhook()
        elif what == "innocent-audit":
            self.server["audit"] = {"cost": "0.001", "blocking": False}
            self.fault["audit"] = {"cost": .8}
        elif what == "busy-machine":
            f = number(r.uniform(1.2, 2))
            self.fault["etcd"] = {"fsync": f"ln({number(float(self.fsync[3:-5]) * f)},0.4)"}
            for hook in self.hooks + self.others:
                self.hook_in_fault(hook["name"], cost=f"ln({number(float(hook['cost'][3:-5]) * f)},0.4)")
            self.fault_costs["bind_api"] = f"ln({number(float(self.costs['bind_api'][3:-5]) * f)},0.5)"
        elif what == "slow-filter":
            self.fault_costs["filter"] = f"u(0.1,{number(min(.4, .8 / self.rate))})" if self.rate < 2 else \
                f"{number(.6 / self.rate)}"
            self.causes.append(("algorithm.filter", ""))
            self.innocent_webhook()
        elif what == "slow-extender":
            self.extenders.append({"verbs": ["bind"], "timeout": "60s", "managed": "example.com/gpu"})
            self.costs["ext_bind"] = "ln(0.02,0.4)"
            self.fault_costs["ext_bind"] = "u(0.5,2)"
            self.causes.append(("bind.extender", ""))
            self.innocent_webhook()
        elif what == "double-load":
            self.during["rate"] = number(self.rate * 2)

    def templates(self):
        r = self.r
        made = [{"name": f"t{i}", "namespace": r.choice(["shop", "batch", "data"]), "owner": f"own{i}",
                 "weight": number(log_uniform(r, .2, 3)), "cpu": "100m", "memory": "64Mi",
                 "life": r.choice(["u(40,90)", "u(90,200)", "u(20,40)"])} for i in range(r.randint(1, 4))]
        if self.extenders:
            made.append({"name": "gpu", "namespace": "train", "owner": "train", "weight": 1, "cpu": "100m",
                         "memory": "64Mi", "life": "u(40,90)", "extended": {"example.com/gpu": 1}})
        return made

    def scenario(self):
        nodes = {"count": self.r.randint(20, 150), "cpu": 64, "memory": "256Gi"}
        if self.extenders:
            nodes["extended"] = {"example.com/gpu": 100000}
        s = {"name": f"{self.kind}-{self.seed}", "kubernetes_version": f"1.{self.minor}",
             "duration": f"{self.duration}s",
             "incident": {"start": f"{self.before}s", "end": f"{self.before + self.length}s"},
             "cluster": {"nodes": [nodes]}, "scheduler": {"qps": 500, "burst": 1000},
             "scrape": {"interval": f"{self.period}s", "jitter": "5ms"},
             "workload": {"rate": self.rate, "templates": self.templates()}, "costs": self.costs,
             "apiserver": self.server}
        if self.extenders:
            s["extenders"] = self.extenders
        if self.network is not None:
            s["network"] = {"delay": self.network}
        network = self.fault.pop("network", None)
        fault = {**self.during, **({"apiserver": self.fault} if self.fault else {})}
        if network is not None:
            fault["network"] = {"delay": network}
        if self.fault_costs:
            fault["costs"] = self.fault_costs
        if fault:
            s["faults"] = [fault]
        return s


DRAW = {"apiserver.webhook": Drawn.webhook, "etcd.disk": Drawn.disk, "apiserver.cpu": Drawn.cpu,
        "apiserver.flowcontrol": Drawn.flowcontrol, "apiserver.audit": Drawn.audit,
        "bind.network": Drawn.way, "refusal": Drawn.refusal}


def draw(kind, seed):
    """The scenario, as what YAML says, and what was drawn."""
    d = Drawn(kind, seed)
    if kind == "single":
        DRAW[CAUSES[seed % len(CAUSES)]](d)
    elif kind == "pair":
        for cause in d.r.sample(CAUSES[:-1], 2):
            DRAW[cause](d)
    else:
        d.what = QUIET[seed % len(QUIET)]
        d.quiet(d.what)
    if kind != "quiet" and d.r.random() < .4:
        d.innocent_webhook()
    return d.scenario(), d
