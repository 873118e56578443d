"""How much what is said to a model counts; written by `bench/train_door.py`."""

BASE = -2.67
WEIGHTS = {
    "about": -0.52,
    "acts on your rules": 0.49,
    "address": 0.44,
    "all rules off": 0.06,
    "always": 0.30,
    "another now": 0.16,
    "another role": 0.63,
    "any machine": 0.08,
    "asked and led away": 0.54,
    "asked and named": 0.29,
    "asked and spoken to": 0.74,
    "asks to do": -0.19,
    "asks to praise": -0.47,
    "asks to say": -0.09,
    "begins with a frame": 0.51,
    "begins with a tool": 0.72,
    "call of a tool": 0.91,
    "calls a machine": 0.07,
    "calls maybe a machine": -0.11,
    "calls off": 0.71,
    "earlier rules off": 0.74,
    "frame": 0.51,
    "frame orders": 0.80,
    "gives away": 0.43,
    "gives its prompt": 0.50,
    "heads a clause": 0.26,
    "heads maybe a clause": 0.19,
    "hidden": 0.33,
    "i": -0.24,
    "led away and named": 0.84,
    "led away and spoken to": 0.63,
    "machine": 0.69,
    "machines must": 0.18,
    "maker": -0.08,
    "maybe a machine": -0.23,
    "named and spoken to": 0.22,
    "no asking": 0.66,
    "not told": 0.35,
    "not told to them": 0.13,
    "now": 0.25,
    "obey": -0.21,
    "praise": 0.33,
    "praise alone": -0.18,
    "private goes": 0.08,
    "prompt": 0.58,
    "quoted": -0.50,
    "reads this": 0.48,
    "remembers": -0.05,
    "remembers them": 0.34,
    "role": -0.35,
    "rules void": 0.29,
    "the machine": -0.12,
    "them": 0.68,
    "then says": 0.33,
    "they allowed": 0.17,
    "told": 0.24,
    "told to them": -0.21,
    "tool acts": 0.49,
    "two frames": 0.64,
    "when asked": 0.06,
    "when they ask": 0.22,
    "you": 0.23,
    "you are a machine": 0.09,
    "you may": -0.11,
    "your": -0.06,
    "your rules": 0.88,
    "your rules off": 0.30,
    "your user": 0.39,
}
# Signs that stand near each other, each pair with its weight.
NEIGHBOURS = """
&& -0.27 &C 0.10 &D 0.24 &H 0.08 &J -0.05 &K -0.06 &N -0.07 &P 0.12 &R -0.06 &T 0.37 &W -0.22 &X
-0.09 &Y -0.39 &a -0.11 &b -0.34 &d 0.06 &e -0.08 &h -0.06 &n 0.21 &o -0.12 &r -0.15 &s 0.39 &t
-0.07 &u -0.40 &w -0.06 CD 0.11 CJ -0.15 CR -0.11 CT 0.27 CW -0.10 CX -0.07 CY -0.15 CZ -0.09 Cb
0.12 Ce 0.31 Ci 0.12 Cn 0.23 D& -0.10 DC -0.21 DD 0.20 DE 0.16 DJ 0.14 DN -0.10 DR -0.05 DS 0.05
DT 0.40 DX -0.08 DZ 0.18 De 0.17 Di 0.09 Dm -0.52 Dn 0.10 Du -0.12 Dw 0.20 Dy -0.14 E& -0.12 ED
-0.07 EE 0.12 EW 0.12 Eb -0.07 Ee 0.18 FD 0.35 FS 0.05 Fe 0.16 Fm 0.17 Fo 0.09 Fy 0.06 Gb 0.23
Ge 0.14 Gq -0.16 HT 0.27 He 0.17 J& 0.49 JJ 0.08 JQ 0.12 JR 0.28 JS 0.18 JT 0.26 JY -0.07 JZ
0.11 Je -0.06 Jn 0.40 Jq -0.16 Js 0.25 Ju 0.13 Ke -0.10 L& 0.20 LD -0.13 LP 0.24 LR 0.42 LY 0.09
LZ 0.10 Le 0.16 Lt 0.08 Ly 0.17 N& 0.14 ND 0.20 NJ 0.16 NR 0.27 NT -0.06 Ne 0.29 Nm 0.39 Ny 0.42
Oe -0.17 P& 0.08 PD 0.13 PG 0.10 PR 0.60 PS -0.07 PV 0.23 PX 0.09 PZ 0.13 Pb 0.13 Pe -0.30 Py
-0.15 Q& 0.05 QD -0.44 QE 0.56 QJ -0.07 QP -0.13 QQ -0.05 QT -0.07 Qe 0.06 Qs 0.21 Qu -0.27 R&
0.21 RC -0.09 RD 0.16 RG 0.16 RL 0.48 RN -0.10 RP -0.08 RR 0.08 RS 0.24 RT 0.63 RZ 0.33 Rb -0.13
Rk 0.20 Rm 0.06 Rn -0.06 Ro 0.08 Rr -0.06 Rs -0.06 SC -0.20 SG 0.29 SJ -0.06 SO 0.19 SR -0.05 ST
0.20 SZ 0.32 Sb -0.09 Se 0.23 Sn -0.22 Sq 0.06 Su -0.17 T& -0.15 TC 0.17 TD 0.13 TE -0.09 TJ
0.13 TN 0.13 TR 0.09 TS -0.16 TT 0.06 TV 0.33 TZ 0.07 Tn 0.22 To -0.10 Tu 0.15 Tw 0.08 Ty -0.33
VR 0.30 VT 0.41 VY 0.11 VZ 0.35 Ve 0.16 W& -0.06 WC 0.11 WD -0.12 WQ 0.05 WT 0.24 WZ -0.19 Wa
0.18 Wb -0.15 We -0.29 Wi -0.17 Wm -0.25 Wo -0.09 Wq -0.09 Ws 0.10 Wu 0.33 Ww -0.05 Wy -0.15 X&
-0.18 XS 0.16 XT 0.06 XW -0.26 XX 0.13 Xb -0.11 Xe -0.18 Xu 0.05 Xw -0.07 Xy 0.08 Y& -0.24 YD
0.06 YE -0.06 YG 0.27 YJ -0.13 YN 0.13 YP 0.06 YR 0.44 YV 0.25 YX -0.09 YY -0.14 YZ 0.25 Yb
-0.07 Ye 0.12 Yh 0.05 Yo -0.09 Yr -0.06 Ys 0.18 Yu 0.54 Yz 0.11 Z& 0.17 ZE -0.29 ZN -0.08 ZP
0.16 ZQ -0.12 ZR 0.24 ZS -0.06 ZT 0.52 ZW 0.07 ZX -0.08 ZZ 0.08 Zb 0.06 Ze 0.11 Zi -0.09 Zm 0.10
Zn -0.18 Zo -0.23 Zr 0.07 Zs 0.16 Zt 0.18 Zu 0.10 Zy 0.14 ^& -0.82 ^C 0.14 ^D 0.18 ^E 0.16 ^F
0.51 ^G -0.11 ^H 0.41 ^J -0.15 ^L 0.71 ^N 0.54 ^P 0.31 ^Q -0.25 ^R -0.36 ^S 0.23 ^T -0.12 ^V
0.05 ^X -0.27 ^Y 0.16 ^Z 0.23 ^a -0.10 ^b -0.17 ^d 0.12 ^e -0.56 ^f 0.91 ^i -0.40 ^k -0.18 ^m
-0.22 ^n -0.27 ^o -0.12 ^q -0.07 ^r -0.19 ^s 0.18 ^u -0.08 ^w -0.26 ^y -0.19 a& 0.07 aC -0.10 aD
0.49 aE 0.46 aS -0.07 aT 0.12 aa -0.27 ab 0.24 ae 0.18 ai -0.25 am 0.42 an -0.11 ao 0.06 aq 0.17
ar 0.28 as -0.14 au -0.17 aw -0.23 b& -0.26 bD -0.10 bE 0.08 bJ 0.33 bK -0.12 bN 0.17 bP -0.17
bR -0.05 bS 0.21 bV 0.50 bW -0.10 bX -0.17 bY 0.13 bZ -0.07 ba 0.18 bb -0.10 bd 0.18 be -0.08 bm
0.09 bn 0.14 bo -0.07 br 0.13 bs 0.05 bt 0.19 bu -0.25 bw -0.09 by 0.13 d& 0.20 dZ 0.17 dd 0.12
de 0.30 dm 0.44 do 0.23 e& 0.14 eC -0.34 eD 0.26 eE 0.06 eG 0.37 eH 0.12 eJ 0.43 eK -0.21 eL
-0.12 eN 0.11 eO 0.13 eP -0.20 eQ 0.13 eR 0.24 eS -0.26 eT -0.13 eV 0.45 eX 0.36 eY -0.16 ea
0.21 eb -0.11 ed -0.09 eh 0.11 ei -0.25 ek 0.08 em -0.31 en 0.07 eo 0.20 eq 0.07 er -0.14 es
-0.24 et 0.28 eu 0.78 ew -0.22 ff 0.43 i& -0.11 iD -0.19 iE -0.09 iJ -0.08 iN -0.09 iP 0.09 iS
0.13 iT 0.06 iX 0.10 iY 0.13 iZ -0.07 ie 0.21 ii -0.14 im -0.10 in -0.37 io -0.19 ir -0.09 is
0.07 k& -0.07 kR 0.14 kT 0.13 kZ 0.12 ke 0.21 m& -0.26 mD 0.60 mJ 0.26 mL -0.08 mQ 0.24 mR 0.12
mT 0.54 mW 0.14 mX 0.10 mZ -0.21 ma 0.13 mb -0.28 me -0.09 mn 0.11 mo 0.27 mq 0.14 mr 0.28 ms
-0.14 my 0.14 n& 0.10 nC 0.25 nJ 0.05 nQ 0.46 nR 0.43 nS -0.30 nT 0.13 nZ -0.20 nb -0.15 nm 0.07
no 0.34 nr -0.11 nu 0.06 o& -0.17 oC -0.05 oD 0.05 oN 0.36 oR 0.18 oT 0.28 oW -0.06 oX 0.15 oY
0.08 oZ 0.07 ob -0.20 oe -0.15 oi -0.14 ok 0.13 om -0.06 or -0.12 os -0.10 ou -0.06 oy -0.30 oz
0.06 qO 0.24 qS -0.11 qb -0.25 qn -0.10 qy -0.10 r& -0.33 rD 0.23 rT 0.50 rX -0.11 rb 0.20 re
-0.12 rm -0.10 ro 0.30 rs -0.09 sQ -0.21 sT -0.21 sW -0.10 sY -0.05 se 0.19 si -0.32 sn 0.12 su
-0.25 sy 0.10 t& 0.17 tP 0.16 tT 0.44 tZ 0.09 tb 0.29 te -0.08 u& 0.25 uD -0.15 uJ 0.28 uO 0.12
uP -0.25 uQ 0.11 uS 0.07 uX 0.16 uZ 0.34 ub 0.15 ud 0.18 ue -0.12 un -0.07 us -0.20 ut 0.15 uy
0.33 w& -0.05 wE 0.20 wS -0.13 wX -0.07 we -0.09 wm -0.13 y& -0.10 yC -0.16 yD -0.18 yE -0.22 yJ
0.39 yP 0.20 yQ -0.20 yR 0.24 yS 0.29 yT 0.11 yV 0.26 yY -0.21 yZ -0.11 yb 0.53 ye 0.51 yi -0.24
yk 0.15 ym 0.31 yn 0.10 yo -0.22 yt 0.24 yy 0.10 z& -0.07 zY 0.17 zZ -0.06 ze 0.17 zu 0.38
"""
