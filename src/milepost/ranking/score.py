"""placeholder scoring"""
import numpy as np
RELEVANT = 0.05
def word_weights(probe, corpus):
    from milepost.ranking.stem import stem as cached_stem
    return {cached_stem(w): float(np.log(1+(corpus.documents+.5)/(corpus.frequencies.get(t,0)+.5))) for w,t in zip(probe.words, probe.terms)}
def probabilities(pool, probe):
    n=pool.candidates
    if n==0: return np.zeros(0,np.float32)
    d=np.zeros(n)
    for m,v in probe.vectors.items(): d=pool.vectors[m][:n]@v
    lex=np.zeros(n)
    owner=np.repeat(np.arange(len(pool.ids)),np.diff(pool.term_starts))
    for t in probe.terms:
        idf=np.log(1+(pool.corpus.documents+.5)/(pool.corpus.frequencies.get(t,0)+.5))
        hit=np.zeros(len(pool.ids)); hit[owner[pool.terms==t]]=1
        lex+=idf*hit[:n]
    return (1/(1+np.exp(-(4*d+lex-4)))).astype(np.float32)
def nearest(pool, probe):
    n=pool.candidates
    s=np.zeros(n)
    for m,v in probe.vectors.items(): s=np.maximum(s,pool.vectors[m][:n]@v)
    o=np.argsort(-s,kind='stable')
    return pool.ids[o].tolist(), s[o].tolist()
